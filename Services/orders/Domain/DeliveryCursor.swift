import Foundation

/// The end of a page of deliveries: the time of the first page, and the last row's sort key.
typealias DeliveryCursor = PageCursor<DeliveryPosition>

struct DeliveryPosition: Codable, Sendable {
    /// When the first page was read: all pages rank the deliveries by this time.
    let asOf: Date
    /// The rank of the row's need; nil in cursors of older versions.
    let need: Int?
    let severity: Int
    /// The row's sort key within its severity, see `BoardRepository`; nil in cursors of older versions.
    let place: Int?
    /// Per cent by which the promise is kept; nil in cursors of older versions.
    let keptPercent: Int?
    let promiseEnd: Date
    let delivery: String
}

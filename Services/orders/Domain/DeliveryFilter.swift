import Foundation
import OrderDomain
import WireCoding

/// Which deliveries a list shows; nil is no restriction.
struct DeliveryFilter: Sendable {
    /// An end lists the deliveries that ended so of late; everything else lists live ones.
    var status: StatusCode?
    var flag: Flag?
    var store: StoreID?
    var courier: CourierID?
    var isLate = false
    var isUnassigned = false
    var customer: CustomerID?
    /// The only delivery, for a token that is scoped to one.
    var delivery: DeliveryID?
    /// Whether rows have the probability that the promise is missed, a figure for those who can do something about it.
    var showsMissProbability = true
}

/// Where a page of a list ended, as an opaque text: the time of the first page, and the last row's sort key.
struct DeliveryCursor: RawRepresentable, Sendable {
    let position: Position

    struct Position: Codable, Sendable {
        /// When the first page was read: all pages rank the deliveries by this time.
        let asOf: Date
        let severity: Int
        /// Per cent by which the promise is kept; nil in cursors of older versions.
        let keptPercent: Int?
        let promiseEnd: Date
        let delivery: String
    }

    init(_ position: Position) { self.position = position }

    init?(rawValue: String) {
        guard let data = Data(base64Encoded: rawValue), let position = try? WireJSON.decode(Position.self, from: data)
        else {
            return nil
        }
        self.init(position)
    }

    var rawValue: String { (try? WireJSON.encode(position))?.base64EncodedString() ?? "" }
}

import Foundation
import WireCoding

/// The end of a list's page, as an opaque text: the time of the first page, and the last row's sort key.
struct DeliveryCursor: RawRepresentable, Sendable {
    let position: Position

    struct Position: Codable, Sendable {
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

    init(_ position: Position) { self.position = position }

    init?(rawValue: String) {
        // The caller refuses a text that is no cursor, whatever is wrong in it.
        guard let data = Data(base64Encoded: rawValue), let position = try? WireJSON.decode(Position.self, from: data)
        else {
            return nil
        }
        self.init(position)
    }

    var rawValue: String {
        // A position of numbers, texts and times always encodes.
        (try? WireJSON.encode(position))?.base64EncodedString() ?? ""
    }
}

import Foundation
import OrderDomain
import WireCoding

/// The end of a page of orders, as an opaque text.
struct OrderCursor: RawRepresentable, Sendable {
    let position: Position

    struct Position: Codable, Sendable {
        /// The order's change in microseconds since 1970, the database's precision.
        let changedAt: Int
        let order: OrderID
    }

    init(changedAt: Date, order: OrderID) {
        position = Position(changedAt: Int((changedAt.timeIntervalSince1970 * 1_000_000).rounded()), order: order)
    }

    init?(rawValue: String) {
        // The caller refuses a text that is no cursor, whatever is wrong in it.
        guard let data = Data(base64Encoded: rawValue), let position = try? WireJSON.decode(Position.self, from: data)
        else {
            return nil
        }
        self.position = position
    }

    var rawValue: String {
        // A position of numbers, texts and times always encodes.
        (try? WireJSON.encode(position))?.base64EncodedString() ?? ""
    }

    var changedAt: Date { Date(timeIntervalSince1970: Double(position.changedAt) / 1_000_000) }
}

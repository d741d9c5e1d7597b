import Foundation
import OrderDomain
import WireCoding

/// The end of a page, as an opaque text.
struct PageCursor<Position: Codable & Sendable>: RawRepresentable, Sendable {
    let position: Position

    init(_ position: Position) { self.position = position }

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
}

/// An instant in microseconds since 1970, the database's precision.
private func microseconds(_ date: Date) -> Int { Int((date.timeIntervalSince1970 * 1_000_000).rounded()) }

private func date(microseconds: Int) -> Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

/// The end of a page of orders.
typealias OrderCursor = PageCursor<OrderPosition>

struct OrderPosition: Codable, Sendable {
    /// The order's change in microseconds since 1970.
    let changedAt: Int
    let order: OrderID
}

extension PageCursor where Position == OrderPosition {
    init(changedAt: Date, order: OrderID) { self.init(Position(changedAt: microseconds(changedAt), order: order)) }

    var changedAt: Date { date(microseconds: position.changedAt) }
}

/// The end of a page of timeline entries.
typealias TimelineCursor = PageCursor<TimelinePosition>

struct TimelinePosition: Codable, Sendable {
    /// The entry's time in microseconds since 1970.
    let at: Int
    let entry: Int
}

extension PageCursor where Position == TimelinePosition {
    init(at: Date, entry: Int) { self.init(Position(at: microseconds(at), entry: entry)) }

    var at: Date { date(microseconds: position.at) }
}

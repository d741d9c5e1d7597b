package import DoorstepAPI
package import Foundation
internal import OrderDomain
package import TimePresentation

extension StoreTimes {
    /// - Parameters:
    ///   - rows: of the board; of stores in several zones the one of most rows counts.
    ///   - former: the zone where there are no rows.
    ///   - now: domain time.
    package init(_ rows: [BoardBody.Row], former: TimeZone = .gmt, now: Date) {
        let zones = Dictionary(grouping: rows.compactMap(\.timeZone), by: \.self)
        // The name decides between equals, so that it does not change from one page to the next.
        let name = zones.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
        self.init(timeZone: name.flatMap { TimeZone(identifier: $0) } ?? former, now: now)
    }

    /// When a delivery is expected, or when it ended.
    package func expected(_ row: BoardBody.Row) -> String {
        if let endedAt = row.endedAt { return "ended \(text(endedAt))" }
        return row.estimate.map { text($0.arrivesAt) } ?? "–"
    }
}

extension BoardBody.Row {
    /// The delivery's problem in a word; empty without one.
    package var mark: String {
        switch risk {
        case .late: "late"
        case .atRisk: "at risk"
        case .onTime, .ended: ""
        }
    }

    /// The order's reference, with the bag where there are several.
    package var orderText: String { bag.count > 1 ? "\(reference) \(bag.number)/\(bag.count)" : reference }

    package var statusText: String { courierStatus.map { "\(status.rawValue)/\($0.rawValue)" } ?? status.rawValue }

    package var courierText: String { courierName ?? courier?.rawValue ?? "–" }

    /// Minutes late: `+12`.
    package var lateText: String { lateMinutes.map { "+\($0)" } ?? "" }
}

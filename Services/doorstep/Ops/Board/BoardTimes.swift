import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain

/// How a board writes times: all in one zone, that of its store, with the date where it is not today.
struct BoardTimes {
    let timeZone: TimeZone
    private let now: Date

    /// - Parameters:
    ///   - rows: of the board; of stores in several zones the one of most rows counts.
    ///   - former: the zone where there are no rows.
    ///   - now: domain time.
    init(_ rows: [BoardBody.Row], former: TimeZone = .gmt, now: Date) {
        let zones = Dictionary(grouping: rows.compactMap(\.timeZone), by: \.self)
        // The name decides between equals, so that it does not change from one page to the next.
        let name = zones.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
        timeZone = name.flatMap { TimeZone(identifier: $0) } ?? former
        self.now = now
    }

    var zoneName: String { timeZone == .gmt ? "UTC" : timeZone.identifier }

    /// `18:24`, or `23 Nov 18:24` on another day than today.
    func text(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let clock = date.clock(in: timeZone)
        guard !calendar.isDate(date, inSameDayAs: now) else { return clock }
        let parts = calendar.dateComponents([.day, .month], from: date)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts.day ?? 0) \(months[(parts.month ?? 1) - 1]) \(clock)"
    }

    /// When a delivery is expected, or when it ended.
    func expected(_ row: BoardBody.Row) -> String {
        if let endedAt = row.endedAt { return "ended \(text(endedAt))" }
        return row.estimate.map { text($0.arrivesAt) } ?? "–"
    }
}

extension BoardBody.Row {
    /// What is wrong with it in a word; empty where nothing is.
    var mark: String {
        switch risk {
        case .late: "late"
        case .atRisk: "at risk"
        case .onTime, .ended: ""
        }
    }

    /// Its order's reference, with the bag where there are several.
    var orderText: String { bag.count > 1 ? "\(reference) \(bag.number)/\(bag.count)" : reference }

    var statusText: String { courierStatus.map { "\(status.rawValue)/\($0.rawValue)" } ?? status.rawValue }

    var courierText: String { courierName ?? courier?.rawValue ?? "–" }

    /// Minutes late: `+12`.
    var lateText: String { lateMinutes.map { "+\($0)" } ?? "" }
}

import DoorstepAPI
import Foundation
import OrderDomain

/// The day whose doors the map shows, in the time zone of each delivery's store.
enum MapDay: Hashable, Sendable {
    /// Deliveries promised for today or earlier, or within four hours, and all that a courier is on the way with.
    case today
    /// Deliveries of every day.
    case every
    /// Deliveries promised for one day, such as `2026-11-27`.
    case date(String)

    /// Seconds within which the night ends no day.
    private static let nearSeconds: TimeInterval = 4 * 3_600

    /// - Parameter text: as in ``text``; another text counts as today.
    init(_ text: String?) {
        switch text {
        case "every": self = .every
        case let text? where text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) != nil: self = .date(text)
        default: self = .today
        }
    }

    /// The text in an address; nil for today, which an address leaves out.
    var text: String? {
        switch self {
        case .today: nil
        case .every: "every"
        case .date(let text): text
        }
    }

    /// - Parameter now: domain time.
    func includes(_ row: BoardBody.Row, at now: Date) -> Bool {
        switch self {
        case .every: true
        case .date(let text): Self.date(row.promise.start, of: row) == text
        case .today:
            // Dates of this form are ordered as their texts are.
            row.isUnderWay || row.promise.start <= now.addingTimeInterval(Self.nearSeconds)
                || Self.date(row.promise.start, of: row) <= Self.date(now, of: row)
        }
    }

    /// The days after today for which deliveries are promised, in order.
    ///
    /// - Parameter now: domain time.
    static func later(_ rows: some Sequence<BoardBody.Row>, at now: Date) -> [String] {
        Set(
            rows.compactMap { row in
                let day = date(row.promise.start, of: row)
                return day > date(now, of: row) ? day : nil
            }
        ).sorted()
    }

    private static func date(_ date: Date, of row: BoardBody.Row) -> String {
        let zone = row.timeZone.flatMap { TimeZone(identifier: $0) } ?? .gmt
        return String(ChangeForm.text(date, in: zone).prefix(10))
    }
}

extension BoardBody.Row {
    /// Whether a courier is on the way with it, or to its store.
    fileprivate var isUnderWay: Bool {
        switch status.region {
        case .tail: true
        case .store, .courier: courierStatus == .toStore || courierStatus == .atStore
        }
    }
}

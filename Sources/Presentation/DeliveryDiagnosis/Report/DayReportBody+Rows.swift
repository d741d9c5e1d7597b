package import DoorstepAPI
internal import OrderDomain

extension DayReportBody {
    /// One row of the report's table.
    package struct Row: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Hashable, Sendable {
            case total, store, courier
        }

        package let kind: Kind
        /// The id of the store or courier; empty for the total.
        package let id: String
        package let name: String
        /// The store's date; empty for other rows.
        package let date: String
        package let timeZone: String
        /// A number for each of ``DoorstepAPI/DayReportBody/columns``; nil for a courier's placed deliveries and
        /// their customers' feedback, and for the error of estimates where there was none.
        package let numbers: [Int?]
    }

    /// The columns of numbers: the name for programs, and the title for people.
    package static let columns: [(name: String, title: String)] = [
        ("placed", "PLACED"), ("delivered", "DELIVERED"), ("early", "EARLY"), ("in_window", "IN WINDOW"),
        ("late", "LATE"), ("late_up_to_5_minutes", "≤ 5 MIN"), ("late_up_to_15_minutes", "≤ 15"),
        ("late_up_to_30_minutes", "≤ 30"), ("late_over_30_minutes", "> 30"), ("attempts", "ATTEMPTS"),
        ("cancelled", "CANCELLED"), ("returned", "RETURNED"), ("failed", "FAILED"),
        ("all_right", "ALL RIGHT"), ("problems", "PROBLEMS"), ("missing", "MISSING"), ("damaged", "DAMAGED"),
        ("not_mine", "NOT THEIRS"), ("not_here", "NOT THERE"),
        ("last_estimate_error_seconds", "LAST ETA ± S"), ("ten_minute_estimate_error_seconds", "10 MIN ETA ± S"),
    ]

    /// The total, then the stores, then the couriers.
    package var rows: [Row] {
        let total = Row(
            kind: .total, id: "", name: "total", date: "", timeZone: "", numbers: figures.numbers(placed: placed))
        let storeRows = stores.map { store in
            Row(
                kind: .store, id: store.store.rawValue, name: store.name, date: store.date, timeZone: store.timeZone,
                numbers: store.figures.numbers(placed: store.placed))
        }
        let courierRows = couriers.map { courier in
            Row(
                kind: .courier, id: courier.courier.rawValue, name: courier.name, date: "", timeZone: "",
                numbers: courier.figures.numbers(placed: nil))
        }
        return [total] + storeRows + courierRows
    }

    /// The day in words: `today, 2026-11-21 in Europe/Copenhagen`; of stores with several dates, each.
    package var dayText: String { Self.dayText(day, stores.map { "\($0.date) in \($0.timeZone)" }) }

    static func dayText(_ day: String, _ dates: [String]) -> String {
        ([day] + Set(dates).sorted()).joined(separator: ", ")
    }
}

extension Int? {
    /// The number of a report's row, for people: a dash where nothing is recorded.
    package var reportCell: String { map { "\($0)" } ?? "–" }
}

extension DayReportBody.Figures {
    fileprivate func numbers(placed: Int?) -> [Int?] {
        [
            placed, delivered, early, inWindow, late.count, late.upTo5Minutes, late.upTo15Minutes, late.upTo30Minutes,
            late.over30Minutes, attempts, cancelled, returned, failed, feedback?.allRight, feedback?.problems,
            feedback?.missing, feedback?.damaged, feedback?.notMine, feedback?.notHere, lastEstimate?.meanSeconds,
            tenMinuteEstimate?.meanSeconds,
        ]
    }
}

import CommaSeparatedValues
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import StackClient
import TimePresentation

/// The totals of a day's cards, of `activity-dispatch`, with the presses of the same day, of `orders`.
struct CardReport: Sendable {
    let cards: CardReportBody
    /// Nil where `orders` does not answer, or keeps no presses of that day.
    let presses: [DayReportBody.Press]?

    /// The columns that a narrow terminal gives up, in this order.
    private static let leftOut = [
        "TIMED", "OTHER", "NO TOKEN", "OFFLINE", "BUDGET", "THROTTLE", "NOT ASKED", "REFUSED", "SWITCHED OFF",
        "NOT ALLOWED", "ALLOWED", "STARTS SHOWN", "CHANGES SHOWN", "START REPORTED P50 S", "STARTED", "MINUTES",
        "SWIPED", "ENDS",
        "CARDS", "REPORTED ≤ 30 S", "REPORTED ≤ 5 S", "START REPORTED P90 S", "ON TIME", "NEVER",
    ]

    /// The report as lines to print.
    ///
    /// - Parameter columnsMax: the width of the terminal; nil prints every column.
    func text(columnsMax: Int? = nil) -> String {
        let table = Table(
            [""] + CardReportBody.columns.map(\.title), cards.rows.map { [$0.name] + $0.numbers.map(\.reportCell) },
            columnsMax: columnsMax, leavingOut: Self.leftOut)
        let times = StoreTimes(timeZone: cards.stores.first?.timeZone ?? "UTC", now: cards.asOf)
        let until = "\(times.text(cards.countedUntil)) \(times.zoneName)"
        let state = cards.isProvisional ? "counted until \(until), and once more when the day is complete" : "complete"
        var lines = ["\(cards.dayText), \(state)".safeOnTerminal, ""] + table.lines
        if let presses {
            lines +=
                presses.isEmpty
                ? [] : [""] + Table(["PRESSED", "COUNT"], presses.map { [$0.verb, "\($0.count)"] }).lines
        } else {
            lines += ["", "Presses of the day are not known: orders does not answer, or keeps none of that day."]
        }
        return lines.joined(separator: "\n")
    }

    /// The same rows, then each store with each version and transport, then the presses by verb.
    var csv: CSVText {
        let header =
            ["row", "store", "name", "date", "time_zone", "app_version", "os_version", "transport"]
            + CardReportBody.columns.map(\.name) + ["presses"]
        let counts = (cards.rows + cards.groupRows).map { row in
            [
                row.kind.rawValue, row.store, row.name, row.date, row.timeZone, row.appVersion, row.osVersion,
                row.transport,
            ] + row.numbers.map { number in number.map { "\($0)" } ?? "" } + [""]
        }
        let pressed = (presses ?? []).map { press in
            ["press", "", press.verb, "", "", "", "", ""] + CardReportBody.columns.map { _ in "" }
                + ["\(press.count)"]
        }
        return CSVText([header] + counts + pressed)
    }
}

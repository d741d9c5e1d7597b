import ArgumentParser
import CommaSeparatedValues
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import TimePresentation
import WireCoding

/// A day in numbers.
struct OpsReport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Print a day in numbers, in all and by store and courier.",
        discussion: """
            Each store's day is that of its own time zone. Early is before the promised window, late is after it; the \
            bands of late deliveries are in whole minutes after the window. The window is the one that was promised \
            first. Customers' feedback is of what was delivered on the day; couriers have none, since it does not rate them. \
            The last columns have how many seconds the arrival was off, on average, that customers saw last and ten \
            minutes before.

            With --cards it prints the totals of customers' cards instead: of deliveries whose end became known on the \
            day, from their devices' permissions to what was shown in time. An hour is counted a quarter of an hour \
            after its end, and a day once more 26 hours after its end; 400 days are kept, and presses for 30, unless \
            settings say otherwise.
            """)

    @ArgumentParser.Flag(help: "Print the totals of customers' cards, by store, version and transport.")
    var cards = false
    @Option(help: "The day: today, yesterday or a date such as 2026-11-21.")
    var day = "today"
    @Option(help: "Only deliveries of this store.")
    var store: String?
    @ArgumentParser.Flag(help: "Print comma-separated values, for a spreadsheet.")
    var csv = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try refuseEmpty([("--store", store)])
        guard !csv || !output.json else { throw ValidationError("--csv and --json exclude each other") }
    }

    private var query: [(name: String, value: String?)] { [("day", day), ("store", store)] }

    func run() async throws {
        guard !cards else { return try await printCards() }
        let client = try PeerClient(.orders, as: .operator)
        guard !csv else {
            let report: DayReportBody = try await client.get("/v1/report", query: query)
            if report.stores.isEmpty { try await FilterCheck(store: store)() }
            return writeOutput(report.csv.text)
        }
        let (data, _) = try await client.exchange(.GET, "/v1/report", query: query, body: NoBody?.none)
        // An answer that this version cannot read is refused below.
        if (try? WireJSON.decode(DayReportBody.self, from: data))?.stores.isEmpty == true {
            try await FilterCheck(store: store)()
        }
        try await output.show(data, of: .orders) { (report: DayReportBody) in
            report.text(columnsMax: TerminalSize.ofOutput()?.columns)
        }
    }

    /// Prints the totals of cards; as JSON they are the answer of `activity-dispatch` alone.
    private func printCards() async throws {
        let client = try PeerClient(.activityDispatch, as: .operator)
        let (data, _) = try await client.exchange(.GET, "/v1/cards/report", query: query, body: NoBody?.none)
        // An answer that this version cannot read is refused below.
        if (try? WireJSON.decode(CardReportBody.self, from: data))?.stores.isEmpty == true {
            try await FilterCheck(store: store)()
        }
        guard !csv else {
            let report: CardReportBody = try OutputOptions.body(in: data, of: .activityDispatch)
            return writeOutput(CardReport(cards: report, presses: await presses()).csv.text)
        }
        try await output.show(data, of: .activityDispatch) { (report: CardReportBody) in
            CardReport(cards: report, presses: await presses()).text(columnsMax: TerminalSize.ofOutput()?.columns)
        }
    }

    private func presses() async -> [DayReportBody.Press]? {
        // The totals are printed without presses, and say so.
        let report: DayReportBody? = try? await PeerClient(.orders, as: .operator).get("/v1/report", query: query)
        return report?.presses
    }
}

extension DayReportBody {
    /// The columns that a narrow terminal gives up, in this order.
    private static let leftOut = [
        "≤ 5 MIN", "≤ 15", "≤ 30", "> 30", "NOT THEIRS", "NOT THERE", "DAMAGED", "MISSING", "10 MIN ETA ± S",
        "LAST ETA ± S", "FAILED", "RETURNED", "EARLY", "IN WINDOW", "ALL RIGHT",
    ]

    /// The report as lines to print.
    ///
    /// - Parameter columnsMax: the width of the terminal; nil prints every column.
    func text(columnsMax: Int? = nil) -> String {
        let table = Table(
            [""] + Self.columns.map(\.title), rows.map { [$0.name] + $0.numbers.map(\.reportCell) },
            columnsMax: columnsMax, leavingOut: Self.leftOut)
        let times = StoreTimes(timeZone: stores.first?.timeZone ?? "UTC", now: asOf)
        let time = "\(times.text(asOf, withSeconds: true)) \(times.zoneName)"
        var lines = ["\(dayText), as of \(time)".safeOnTerminal, ""] + table.lines
        if !cancellations.isEmpty {
            let reasons = cancellations.map { [CustomerReason.text($0.reason), "\($0.count)"] }
            lines += [""] + Table(["CANCELLED BECAUSE", "COUNT"], reasons).lines
        }
        return lines.joined(separator: "\n")
    }

    /// The same rows, and one for each reason of cancellations.
    var csv: CSVText {
        let header = ["row", "id", "name", "date", "time_zone"] + Self.columns.map(\.name)
        let counts = rows.map { row in
            [row.kind.rawValue, row.id, row.name, row.date, row.timeZone]
                + row.numbers.map { number in number.map { "\($0)" } ?? "" }
        }
        let reasons = cancellations.map { cancellation in
            ["cancellation", "", cancellation.reason, "", ""]
                + Self.columns.map { $0.name == "cancelled" ? "\(cancellation.count)" : "" }
        }
        return CSVText([header] + counts + reasons)
    }
}

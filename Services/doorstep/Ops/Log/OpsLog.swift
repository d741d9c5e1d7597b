import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient
import TimePresentation
import WireCoding

/// The events of all deliveries, oldest first.
struct OpsLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "List the events of all deliveries, oldest first.",
        discussion: """
            Times are those of each event's store. --json prints one object per line.

            Automatic notices are left out: milestones that move no status, readings of numbers, and the stop counts of \
            trips. --all and --kind have them.
            """)

    @Option(help: "Only events since then: 90s, 10m, 2h, 1d or an instant such as 2026-11-21T18:24:00Z.")
    var since = PastTime.ago(seconds: 600)
    @Option(help: "Only deliveries of this store.")
    var store: String?
    @Option(help: "Only deliveries that this courier has now.")
    var courier: String?
    @Option(help: "Only this kind: placed, status, courier, item, milestone, hold, promise, report and others.")
    var kind: String?
    @Option(help: "Only the order with this reference.")
    var reference: String?
    @Option(help: DeliveryFinder.help)
    var delivery: String?
    @ArgumentParser.Flag(help: "Automatic notices too.")
    var all = false
    @Option(help: "Only so many of the newest events, with the cursor of those before them.")
    var limit: Int?
    @Option(help: "The cursor of older events, with --limit.")
    var cursor: String?
    @ArgumentParser.Flag(help: "Print further events as they happen, until Ctrl-C.")
    var follow = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try refuseEmpty([
            ("--store", store), ("--courier", courier), ("--kind", kind), ("--reference", reference),
            ("--cursor", cursor),
        ])
        guard limit ?? 1 > 0 else { throw ValidationError("--limit is at least 1") }
        guard !follow || limit == nil else { throw ValidationError("--follow has no --limit; give --since") }
        guard cursor == nil || limit != nil else { throw ValidationError("--cursor goes with --limit") }
    }

    /// The query's filter, which leaves out the notices that the API returns by default.
    func filter(delivery: DeliveryID?) -> [(name: String, value: String?)] {
        [
            ("store", store), ("courier", courier), ("kind", kind),
            ("notices", all || kind != nil ? nil : "false"), ("reference", reference),
            ("delivery", delivery?.rawValue),
        ]
    }

    func run() async throws {
        let clock = try await Stack().clock()
        let id: DeliveryID? =
            if let delivery { try await DeliveryFinder().find(delivery) } else { nil }
        let filter = filter(delivery: id)
        let client = try PeerClient(.orders, as: .operator)
        let start = since.date(now: clock.now)
        let printer = EventPrinter(json: output.json, clock: clock)
        if let limit {
            let newest = NewestEvents { count, cursor in
                let place: [(name: String, value: String?)] = [
                    ("order", "newest"), ("since", WireJSON.text(of: start)), ("limit", String(count)),
                    ("cursor", cursor),
                ]
                return try await client.get("/v1/timeline", query: filter + place)
            }
            return try await list(newest, limit, since: start, printer)
        }
        let log = EventLog(since: start) { since, cursor in
            let place: [(name: String, value: String?)] = [("since", WireJSON.text(of: since)), ("cursor", cursor)]
            return try await client.get("/v1/timeline", query: filter + place)
        }
        guard follow else { return try await list(log, since: start, printer) }
        try await FilterCheck(store: store, courier: courier)()
        try await untilInterrupted { try await Self.follow(log, printer) }
    }

    private func list(_ log: EventLog, since: Date, _ printer: EventPrinter) async throws {
        var events = log
        var lines = printer
        try await events.readNew { try lines.write($0) }
        try await writeNone(since: since, after: lines)
    }

    private func list(_ newest: NewestEvents, _ limit: Int, since: Date, _ printer: EventPrinter) async throws {
        var lines = printer
        let (rows, older) = try await newest(limit, before: cursor)
        for row in rows { try lines.write(row) }
        if rows.isEmpty { try await writeNone(since: since, after: lines) }
        if let older { CommandFailure.complain("there are older events: --limit \(limit) --cursor \(older)") }
    }

    private func writeNone(since: Date, after lines: EventPrinter) async throws {
        guard !lines.hasWritten else { return }
        try await FilterCheck(store: store, courier: courier)()
        guard !output.json else { return }
        lines.writeNone(since: since, try await .ofStores(for: .operator))
    }

    private static func follow(_ log: EventLog, _ printer: EventPrinter) async throws {
        var events = log
        var lines = printer
        // Events of an outage come with the next answer.
        try await RepeatedRead.run { try await events.readNew { try lines.write($0) } }
    }
}

/// Prints events: one JSON object a line, or one line of text each under the name of their time zone.
struct EventPrinter: Sendable {
    let json: Bool
    let clock: DomainClock
    /// The zone in the first line; lines of other zones name their own.
    private var zone: String?

    init(json: Bool, clock: DomainClock) {
        self.json = json
        self.clock = clock
    }

    var hasWritten: Bool { zone != nil }

    mutating func write(_ row: TimelinePageBody.Row) throws {
        if zone == nil, !json { writeLine("times are \(row.timeZone)".safeOnTerminal) }
        zone = zone ?? row.timeZone
        if json {
            writeJSON(try WireJSON.encode(row))
        } else {
            writeLine(row.line(zone: zone, now: clock.now))
        }
    }

    func writeNone(since: Date, _ times: StoreTimes) {
        writeLine("no events since \(times.text(since, withSeconds: true)) \(times.zoneName)")
    }
}

extension TimelinePageBody.Row {
    /// The event as a line to print.
    ///
    /// - Parameters:
    ///   - zone: the zone that a reader expects; an event of another zone names its own.
    ///   - now: domain time.
    func line(zone: String?, now: Date) -> String {
        let times = StoreTimes(timeZone: timeZone, now: now)
        let zoneText = timeZone == zone ? "" : " (\(timeZone))"
        return [times.text(entry.at, withSeconds: true) + zoneText, orderText, placeText, entry.text(times)]
            .joined(separator: "  ").safeOnTerminal
    }
}

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
        discussion: "Times are those of each event's store. --json prints one object per line.")

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
    @Option(help: "The number of events after which the list ends, with the cursor of the next page.")
    var limit = 1_000
    @Option(help: "The cursor of the next page.")
    var cursor: String?
    @ArgumentParser.Flag(help: "Print further events as they happen, until Ctrl-C.")
    var follow = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is at least 1") }
        guard !follow || cursor == nil else { throw ValidationError("--follow has no pages; give --since") }
    }

    func run() async throws {
        let clock = try await Stack().clock()
        let id: DeliveryID? =
            if let delivery { try await DeliveryFinder().find(delivery) } else { nil }
        let filter: [(name: String, value: String?)] = [
            ("store", store), ("courier", courier), ("kind", kind), ("reference", reference),
            ("delivery", id?.rawValue),
        ]
        let client = try PeerClient(.orders, as: .operator)
        let start = since.date(now: clock.now)
        let log = EventLog(since: start) { since, cursor in
            let place: [(name: String, value: String?)] = [("since", WireJSON.text(of: since)), ("cursor", cursor)]
            return try await client.get("/v1/timeline", query: filter + place)
        }
        let printer = EventPrinter(json: output.json, clock: clock)
        guard follow else { return try await list(log, since: start, printer) }
        try await FilterCheck(store: store, courier: courier)()
        try await untilInterrupted { try await Self.follow(log, printer) }
    }

    private func list(_ log: EventLog, since: Date, _ printer: EventPrinter) async throws {
        var events = log
        var lines = printer
        let next = try await events.readNew(from: cursor, limit: limit) { try lines.write($0) }
        if !lines.hasWritten {
            try await FilterCheck(store: store, courier: courier)()
            if !output.json { lines.writeNone(since: since, try await .ofStores(for: .operator)) }
        }
        if let next { CommandFailure.complain("there are more events: --cursor \(next)") }
    }

    private static func follow(_ log: EventLog, _ printer: EventPrinter) async throws {
        var events = log
        var lines = printer
        // Events of an outage come with the next answer.
        try await RepeatedRead.run { _ = try await events.readNew { try lines.write($0) } }
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

import ArgumentParser
import Foundation

/// Measures a whole periodic round of the resync in the three services at once, with many deliveries live and ended, of
/// which some are not known as they are by the services that read them.
struct ResyncBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "resync", abstract: "Measure a round of the resync with many deliveries live and ended.")

    /// Deliveries of which one is lost.
    private static let lostOneIn = 1_000
    private static let courier = """
        {"courier":{"id":"bench","name":"Bench","vehicle":"bicycle","phone":"+4512345678"}}
        """

    @OptionGroup var target: StackOptions
    @Option(positive: "Live deliveries, each with a card on a device of its own.") var live = 1_000_000
    @Option(positive: "Deliveries that ended within the last twelve hours.") var ended = 1_000_000

    /// Seconds within which the stack's services republish everything; as they were started with.
    private var intervalSeconds: Double {
        ProcessInfo.processInfo.environment["RESYNC_INTERVAL_SECONDS"].flatMap { Double($0) } ?? 600
    }

    /// A service's round.
    private struct Line: Encodable {
        let service: String
        let compared: Int
        let republished: Int
        let seconds: Double
        let pages: Int
        let meanPageMilliseconds: Double
        /// The bound of the histogram's bucket that the longest page is in; nil above them all.
        let longestPageSeconds: Double?

        init(_ service: String, from begun: ResyncProgress, to end: ResyncProgress, since start: Instant) {
            let pages = end.pages - begun.pages
            let longest = end.longestPage(since: begun)
            self.service = service
            compared = Int(end.compared - begun.compared)
            republished = Int(end.republished - begun.republished)
            seconds = (now() - start).inSeconds
            self.pages = Int(pages)
            meanPageMilliseconds = (end.pageSeconds - begun.pageSeconds) / max(1, pages) * 1_000
            longestPageSeconds = longest.isFinite ? longest : nil
        }

        var cells: [any Cell] {
            [
                service, compared, republished, seconds, Double(compared) / seconds, pages, meanPageMilliseconds,
                longestPageSeconds.map { "≤ \($0.text)" } ?? "above all bounds",
            ]
        }
    }

    func measure(on stack: Stack) async throws -> Report {
        let placed = try await PlacedLoad(on: stack, rate: 2, connections: 1)
        let stored = try Self.templates(on: stack, placed.eventLoop)
        Bench.log("storing \(live) live and \(ended) ended deliveries")
        try stored.insertLive(live)
        try stored.insertEnded(ended)
        let lost = try stored.lose(oneIn: Self.lostOneIn, ofLive: live)
        _ = try stack.query("VACUUM ANALYZE")

        Bench.log("waiting for a round of \(intervalSeconds) s")
        let (database, usage) = (try DatabaseCounters(of: stack), ProcessUsage(of: stack))
        let lines = try rounds(of: stack, placed.eventLoop)
        let roundsEnd = now()
        while try stored.countLost(oneIn: Self.lostOneIn, ofLive: live) > 0, now() < roundsEnd + .seconds(60) {
            try placed.eventLoop.run(until: now() + 500 * .millisecond)
        }
        let walBytes = try DatabaseCounters(of: stack).walBytes - database.walBytes
        let cpu = ProcessUsage(of: stack).millisecondsPerChange(since: usage, changes: live + ended)
        let outboxes = Stack.services.map { "(SELECT count(*) FROM \(Stack.schema(of: $0)).outbox)" }
        return report(
            placed.machine, lines, lost: lost,
            notHealed: try stored.countLost(oneIn: Self.lostOneIn, ofLive: live), cpu: cpu,
            unsent: try stack.count("SELECT " + outboxes.joined(separator: " + ")),
            walBytes: Double(walBytes) / Double(live + ended))
    }

    /// - Parameters:
    ///   - lost: objects that a reader lacked, or had in an older version, before the rounds.
    ///   - notHealed: the objects among them that are still lost after the rounds.
    ///   - cpu: milliseconds of processor time per delivery, of all rounds together and of their messages.
    ///   - unsent: messages in the outboxes after the rounds.
    ///   - walBytes: WAL bytes per delivery.
    private func report(
        _ machine: Machine, _ lines: [Line], lost: Int, notHealed: Int, cpu: [String: Double], unsent: Int,
        walBytes: Double
    ) -> Report {
        var report = Report(
            of: machine,
            [
                "live": live, "ended": ended, "intervalSeconds": intervalSeconds, "lost": lost,
                "notHealed": notHealed, "lines": lines, "cpuMillisecondsPerDelivery": cpu, "unsent": unsent,
                "walBytesPerDelivery": walBytes,
            ])
        report.add(
            [
                "Service", "compared", "republished", "round, s", "compared/s", "pages", "mean page, ms",
                "longest page, s",
            ], lines.map(\.cells))
        report.add("CPU ms a delivery and round: \(cpu.listed).")
        report.add(
            """
            \(live) live and \(ended) lately ended deliveries, interval \(intervalSeconds.text) s, aim: each round within it. \
            Of \(lost) things that a reader lacked \(lost - notHealed) were healed. \
            \(unsent) messages unsent after the rounds; \(walBytes.text) bytes of WAL a delivery.
            """)
        return report
    }

    /// Waits until each service has completed a round.
    private func rounds(of stack: Stack, _ eventLoop: EventLoop) throws -> [Line] {
        let services = stack.ports
        func progress(_ service: String, _ port: Int) throws -> ResyncProgress {
            try ResyncProgress(port: port, schema: Stack.schema(of: service), stack: stack)
        }
        let begun = try services.map(progress)
        let start = now()
        var lines: [String: Line] = [:]
        var seen = begun
        var passed = [Int](repeating: 0, count: services.count)
        // As late as a stack may be that cannot keep up.
        let end = start + .seconds(intervalSeconds * 4 + 60)
        while lines.count < services.count {
            guard now() < end else { throw BenchFailure("no whole round within four intervals") }
            try eventLoop.run(until: now() + 500 * .millisecond)
            for (index, (service, port)) in services.enumerated() where lines[service] == nil {
                let next = try progress(service, port)
                passed[index] += (next.slice - seen[index].slice + ResyncProgress.slices) % ResyncProgress.slices
                seen[index] = next
                guard passed[index] >= ResyncProgress.slices else { continue }
                lines[service] = Line(service, from: begun[index], to: next, since: start)
            }
        }
        return services.compactMap { lines[$0.service] }
    }

    /// Moves three deliveries through the services, one to its courier and one to its end.
    private static func templates(on stack: Stack, _ eventLoop: EventLoop) throws -> StoredDeliveries {
        let ids = try stack.query("SELECT delivery_id FROM orders.deliveries ORDER BY delivery_id LIMIT 3")
            .split(separator: "\n").map(String.init)
        guard ids.count == 3 else { throw BenchFailure("there are not three deliveries") }
        let calls = [
            Request.move(ids[1], to: "staged"),
            Request(method: "PUT", path: "/v1/deliveries/\(ids[1])/courier", body: courier),
            Request.move(ids[1], to: "picked_up"), Request.move(ids[2], to: "cancelled"),
        ]
        for call in calls {
            try eventLoop.require(call, "\(call.method) \(call.path)")
            try eventLoop.settle()
        }
        let isThrough = """
            SELECT (SELECT count(*) FROM activity_dispatch.activities WHERE delivery_id = '\(ids[2])' AND is_ended)
                + (SELECT count(*) FROM activity_dispatch.activities WHERE delivery_id = '\(ids[1])' AND step > 0)
                + (SELECT count(*) FROM courier_eta.deliveries WHERE delivery_id IN ('\(ids[0])', '\(ids[1])')
                    AND ended_at IS NULL)
                + (SELECT count(*) FROM courier_eta.deliveries WHERE delivery_id = '\(ids[2])' AND ended_at IS NOT NULL)
            """
        try eventLoop.run { (try? stack.count(isThrough)) == 5 }
        return StoredDeliveries(stack: stack, picking: ids[0], onTheWay: ids[1], ended: ids[2])
    }
}

import ArgumentParser

/// Measures the time from the broker's return, after an outage under load, until every screen is right again.
///
/// The load continues before, during and after the outage, so that the backlog competes with new changes.
struct OutageBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "outage", abstract: "Measure the screens' recovery after a broker outage.")

    /// The longest wait once the broker is back.
    private static let drainSecondsMax = 600.0
    /// The aim for each time until something is as before.
    private static let aimSeconds = 60.0

    @OptionGroup var target: StackOptions
    @Option(positive: "Changes a second, before, during and after the outage.") var rate = 200.0
    @Option(positive: "Seconds for which the broker is away.") var seconds = 180.0
    @Option(positive: "Seconds for which latencies are measured before the outage, and after everything is sent.")
    var latencySeconds = 15.0
    @Option(positive: "Connections to orders, each with a token of its own.") var connections = 64

    /// Seconds from the broker's return; nil where the run's time-out came first.
    private struct Recovery {
        /// Seconds until every earlier change was on its screen.
        var screens: Double?
        /// Seconds until every earlier message was sent.
        var outbox: Double?
        /// Seconds until the load's newest changes were on their screens within a second again.
        var current: Double?

        var isComplete: Bool { screens != nil && outbox != nil && current != nil }
    }

    func measure(on stack: Stack) async throws -> Report {
        var stack = stack
        let placed = try await PlacedLoad(on: stack, rate: rate, connections: connections)
        let load = placed.load
        Bench.log("warming up")
        let before = try load.step(changesPerSecond: rate, seconds: latencySeconds)

        Bench.log("stopping the broker for \(seconds) s at \(rate) changes/s")
        try stack.stop(["nats"])
        try load.send(changesPerSecond: rate, seconds: seconds)
        let waiting = try unsent(on: stack)
        let usage = ProcessUsage(of: stack)
        let unarrived = load.unarrived.all
        stack = try stack.starting("nats", port: stack.brokerPort)
        let backAt = now()

        Bench.log("\(waiting) messages wait, \(unarrived) changes are on no screen")
        let recovery = try recover(load, stack, since: backAt)
        let cpu = ProcessUsage(of: stack).seconds(since: usage)
        let refused = load.unarrived.refused
        Bench.log("once more, as before")
        let after = try load.step(changesPerSecond: rate, seconds: latencySeconds)

        var report = Report(
            of: placed.machine,
            [
                "changesPerSecond": rate, "seconds": seconds, "deliveries": placed.deliveries, "refused": refused,
                "unarrived": unarrived, "waiting": waiting, "screensSeconds": recovery.screens,
                "outboxSeconds": recovery.outbox, "currentSeconds": recovery.current, "memory": usage.memory,
                "cpuSeconds": cpu, "before": before, "after": after,
            ])
        func until(_ what: String, _ seconds: Double?) -> Figure {
            let name = "until \(what)"
            guard let seconds else { return Figure(name, "not within the run", aim: "≤ \(Self.aimSeconds.text) s") }
            return Figure(name, seconds, "s", .atMost(Self.aimSeconds))
        }
        report.add(
            "Broker away for \(seconds.text) s at \(rate.text) changes/s",
            [
                Figure("changes refused", refused, aim: "0"),
                Figure("changes on no screen, and messages waiting, when it was back", unarrived, waiting),
                until("every change of before was on its screen", recovery.screens),
                until("every message of before was sent", recovery.outbox),
                until("new changes were on their screens within a second again", recovery.current),
                Figure(
                    "p50 and p99 from answer to arrival before the outage, ms", before.fromAnswerToArrival.p50AndP99),
                Figure("the same when all was sent, ms", after.fromAnswerToArrival.p50AndP99),
            ])
        report.add(processes: [
            "MiB at the end of the outage": usage.resident,
            "seconds of processor time from then until all was sent": cpu,
        ])
        report.add("\(placed.deliveries) deliveries.")
        return report
    }

    /// Continues the load until the system has recovered, or the longest wait is over.
    private func recover(_ load: OpenLoad, _ stack: Stack, since backAt: Instant) throws -> Recovery {
        let restarted = try stack.value("SELECT clock_timestamp()")
        var recovery = Recovery()
        func elapsed() -> Double { (now() - backAt).inSeconds }
        while !recovery.isComplete, elapsed() < Self.drainSecondsMax {
            try load.send(changesPerSecond: rate, seconds: 0.5)
            if recovery.screens == nil, load.unarrived(dueBefore: backAt) == 0 { recovery.screens = elapsed() }
            if recovery.outbox == nil, try unsent(on: stack, before: restarted) == 0 { recovery.outbox = elapsed() }
            if recovery.screens != nil, recovery.current == nil, load.unarrived(dueBefore: now() - .second) == 0 {
                recovery.current = elapsed()
            }
        }
        return recovery
    }

    /// Waiting messages in the services' outboxes, written before a time of the database's clock.
    private func unsent(on stack: Stack, before time: String = "infinity") throws -> Int {
        let counts = Stack.services.map {
            "(SELECT count(*) FROM \(Stack.schema(of: $0)).outbox WHERE created_at < '\(time)')"
        }
        return try stack.count("SELECT \(counts.joined(separator: " + "))")
    }
}

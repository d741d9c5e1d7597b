import Foundation

/// Measures how long the system takes, after its broker was away under load, until every screen is right again.
///
/// The load goes on all the time, before, while the broker is away and after, so that what waits is sent beside what is
/// new.
enum OutageBench {
    /// The longest that is waited for, once the broker is back.
    private static let drainSecondsMax = 600.0

    static func measure(_ settings: OutageSettings) async throws -> OutageReport {
        var stack = try Stack(folder: settings.folder)
        let placed = try await PlacedLoad(on: stack, rate: settings.rate, connections: settings.connections)
        let load = placed.load
        Bench.log("warming up")
        let before = try load.step(changesPerSecond: settings.rate, seconds: settings.latencySeconds)

        Bench.log("stopping the broker for \(settings.seconds) s at \(settings.rate) changes/s")
        try stack.stop(["nats"])
        try load.send(changesPerSecond: settings.rate, seconds: settings.seconds)
        let waiting = try unsent(on: stack)
        let resident = ProcessUsage(of: stack).memory
        let unarrived = load.unarrived
        let usage = ProcessUsage(of: stack)
        stack = try stack.starting("nats", port: stack.brokerPort)
        let backAt = now()
        let restarted = try databaseTime(on: stack)

        Bench.log("\(waiting) messages wait, \(unarrived.all) changes are on no screen")
        var screensSeconds: Double?
        var outboxSeconds: Double?
        var currentSeconds: Double?
        while screensSeconds == nil || outboxSeconds == nil || currentSeconds == nil {
            let elapsed = (now() - backAt).inSeconds
            guard elapsed < drainSecondsMax else { break }
            try load.send(changesPerSecond: settings.rate, seconds: 0.5)
            if screensSeconds == nil, load.unarrived(dueBefore: backAt) == 0 {
                screensSeconds = (now() - backAt).inSeconds
            }
            if outboxSeconds == nil, try unsent(on: stack, before: restarted) == 0 {
                outboxSeconds = (now() - backAt).inSeconds
            }
            if screensSeconds != nil, currentSeconds == nil, load.unarrived(dueBefore: now() - .seconds(1)) == 0 {
                currentSeconds = (now() - backAt).inSeconds
            }
        }
        let cpu = ProcessUsage(of: stack).seconds(since: usage)
        let refused = load.unarrived.refused
        Bench.log("once more, as before")
        let after = try load.step(changesPerSecond: settings.rate, seconds: settings.latencySeconds)
        return OutageReport(
            machine: placed.machine, changesPerSecond: settings.rate, seconds: settings.seconds,
            deliveries: placed.deliveries, refused: refused, unarrived: unarrived.all, waiting: waiting,
            screensSeconds: screensSeconds, outboxSeconds: outboxSeconds, currentSeconds: currentSeconds,
            memory: resident, cpuSeconds: cpu,
            before: before, after: after)
    }

    /// Messages that wait in the services' outboxes, of those written before a time of the database's.
    private static func unsent(on stack: Stack, before time: String = "infinity") throws -> Int {
        let counts = ["orders", "courier_eta", "activity_dispatch"].map {
            "(SELECT count(*) FROM \($0).outbox WHERE created_at < '\(time)')"
        }
        let answer = try stack.query("SELECT \(counts.joined(separator: " + "))")
        guard let count = Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchFailure("the outboxes cannot be counted: \(answer)")
        }
        return count
    }

    private static func databaseTime(on stack: Stack) throws -> String {
        try stack.query("SELECT clock_timestamp()").trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

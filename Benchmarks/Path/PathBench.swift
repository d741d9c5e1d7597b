import ArgumentParser

/// Measures changes a second through the whole path of a stack, and the limit of its database alone.
///
/// HTTP → Postgres → NATS → dispatch → device stream.
struct PathBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Measure changes a second to device streams, beside a hand-written transaction.")

    static let standardOutput = ".doorstep/bench.json"
    /// Seconds after a start in which services compare all their data with their readers twice: at the checks 1 and 3 of
    /// `BrokerCheck`, one every ten seconds, each after three more where readers are behind.
    private static let startSeconds = 100.0

    @OptionGroup var target: StackOptions
    @Option(positive: "Changes a second of the line about latency.") var latencyRate = 100.0
    @Option(positive: "Seconds of the line about latency.") var latencySeconds = 30.0
    @Option(positive: "Where the ramp ends if every rate is sustained; five times as many deliveries are placed.")
    var rateMax = 600.0
    @Option(positive: "Seconds of each step of the ramp.") var stepSeconds = 10.0
    @Option(positive: "Connections to orders, each with a token of its own.") var connections = 64

    func measure(on stack: Stack) async throws -> Report {
        try DatabaseCounters.begin(on: stack)
        let placed = try await PlacedLoad(on: stack, rate: rateMax, connections: connections)
        let load = placed.load

        Bench.log("warming up, until the services' comparisons after a start are over")
        _ = try load.step(
            changesPerSecond: latencyRate, seconds: max(5, Self.startSeconds - (try stack.secondsSinceStart())))
        let meter = ResourceMeter(stack: stack)
        Bench.log("\(latencyRate) changes/s for \(latencySeconds) s")
        var steps = [try meter.step(load, changesPerSecond: latencyRate, seconds: latencySeconds)]
        var failures = 0
        var rate = latencyRate * 1.25
        while rate <= load.rateMax, failures < 2 {
            let step = try meter.step(load, changesPerSecond: rate.rounded(), seconds: stepSeconds)
            Bench.log("\(rate.rounded()) changes/s: \(step.outcome.isKeptUpWith ? "kept up with" : "too many")")
            steps.append(step)
            failures = step.outcome.isKeptUpWith ? 0 : failures + 1
            rate *= 1.25
        }
        let memory = ProcessUsage(of: stack).memory

        try stack.stop(Stack.services)
        Bench.log("running the hand-written transaction")
        return report(placed, steps, try HandWrittenChange(on: stack), memory)
    }
}

import ArgumentParser
import ServiceRuntime

/// Measures the latency of a store's webhook, first alone, then while other stores' receivers are slow or dead.
///
/// `orders` and `partners` run with their database and their broker; the other services are stopped.
struct SlowReceiversBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "slow-receivers",
        abstract: "Measure the latency of a store's webhook while other stores' receivers are slow or dead.")

    /// The most endpoints that `partners` accepts from one store.
    static let endpointsPerStore = 100
    /// The aim for the 99th percentile from a change to its webhook.
    private static let p99MillisecondsMax = 1_000.0

    @OptionGroup var target: StackOptions
    @Option(positive: "Seconds of each of the two periods.") var seconds = 60.0
    @Option(positive: "Seconds of the other stores' orders before the loaded period, which fill the queues.")
    var rampSeconds = 10.0
    @Option(positive: "Changes a second of the store that is measured.") var rate = 10.0
    @Option(positive: "Stores whose receivers answer late.") var slowStores = 3
    @Option(positive: "Seconds until they answer.") var answerSeconds = 10.0
    @Option(positive: "Endpoints that refuse connections or never answer, in total.") var deadEndpoints = 100
    @Option(positive: "Stores that share the dead endpoints.") var deadStores = 1
    @Option(positive: "Orders a second of each store with late receivers, and of all stores with dead ones.")
    var orderRate = 1.0
    @Option(positive: "Deliveries of each order.") var deliveriesPerOrder = 5

    func validate() throws {
        guard deadEndpoints <= deadStores * Self.endpointsPerStore else {
            throw ValidationError("A store has at most \(Self.endpointsPerStore) endpoints.")
        }
    }

    func measure(on stack: Stack) async throws -> Report {
        let machine = try Machine(stack: stack)
        let tokens = try await Tokens(of: stack)
        let operators = try await tokens.tokens(.operator, count: WebhookEndpoints.connections)
        let stores = try await tokens.tokens(.store, count: MeasuredStore.connections)
        let measured = try await MeasuredStore(on: stack, rate: rate, tokens: stores, operators: operators)
        try stack.stop(["desk", "activity-dispatch", "courier-eta"])

        Bench.log("warming up")
        _ = try measured.period(changesPerSecond: rate, seconds: 5, on: stack)
        Bench.log("quiet, \(seconds) s")
        let quiet = try measured.period(changesPerSecond: rate, seconds: seconds, on: stack)

        Bench.log("adding endpoints")
        let others = try await OtherStores(self, on: stack, operators: operators)
        let threads = WorkThreads()
        let token = try await tokens.token(.store, "bench-others")
        threads.start("orders of other stores") { try others.placeOrders(token: token, until: $0) }
        try measured.wait(seconds: rampSeconds)
        Bench.log("loaded, \(seconds) s")
        let loaded = try measured.period(changesPerSecond: rate, seconds: seconds, on: stack)
        try threads.stop()
        return report(
            machine, quiet, loaded,
            eventsWaiting: try stack.count("SELECT count(*) FROM partners.event_deliveries WHERE state = 'waiting'"))
    }

    /// - Parameter eventsWaiting: of the other stores, at the end.
    private func report(
        _ machine: Machine, _ quiet: MeasuredStore.Period, _ loaded: MeasuredStore.Period, eventsWaiting: Int
    ) -> Report {
        let slowEndpoints = slowStores * Self.endpointsPerStore
        var report = Report(
            of: machine,
            [
                "changesPerSecond": rate, "seconds": seconds, "slowEndpoints": slowEndpoints,
                "slowStores": slowStores, "answerSeconds": answerSeconds, "deadEndpoints": deadEndpoints,
                "deadStores": deadStores, "quiet": quiet, "loaded": loaded, "eventsWaiting": eventsWaiting,
            ])
        func row(_ name: String, _ latency: Distribution) -> [any Cell] {
            [
                name, latency.p50Milliseconds, latency.p99Milliseconds, latency.maxMilliseconds,
                "≤ \(Self.p99MillisecondsMax.text)",
            ]
        }
        report.add(
            [
                "From a change to its webhook, \(rate.text) a second for \(seconds.text) s", "p50 ms", "p99 ms",
                "longest ms", "Aim, p99",
            ],
            [
                row("quiet", quiet.untilArrival),
                row(
                    """
                    \(slowEndpoints) endpoints of \(slowStores) other stores answer after \(answerSeconds.text) s, \
                    \(deadEndpoints) of \(deadStores) more are dead
                    """, loaded.untilArrival),
            ])
        report.add(processes: [
            "seconds of processor time, quiet": quiet.cpuSeconds, "loaded": loaded.cpuSeconds,
        ])
        report.add(
            """
            p99 from a change to its answer: \(quiet.untilAnswer.p99Milliseconds.text) ms quiet, \
            \(loaded.untilAnswer.p99Milliseconds.text) ms loaded. \
            \(eventsWaiting) events of the other stores waited at the end.
            """)
        return report
    }
}

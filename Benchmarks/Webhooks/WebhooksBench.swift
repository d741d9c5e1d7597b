import ArgumentParser
import ServiceRuntime

/// Measures the webhooks that `partners` receives from providers, and those that it sends.
///
/// The other services are stopped once the deliveries are placed: the benchmark measures one `partners` with its
/// database, its broker, the load and the receivers.
struct WebhooksBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Measure the webhooks that partners receives and sends.")

    /// The most endpoints that `partners` accepts.
    static let endpoints = 100
    /// Connections to `orders`, each with a token of its own, while deliveries are placed.
    private static let placingConnections = 32

    @OptionGroup var target: StackOptions
    @Option(positive: "Deliveries that are placed, and that reports are of.") var deliveries = 1_000
    @Option(positive: "Reports in flight at once; partners takes up to 128 of one source.") var connections = 128
    @Option(positive: "Seconds of each of the parts that go on for a time.") var seconds = 20.0
    @Option(positive: "Events a second, counted once for each endpoint, while it is measured how long one takes.")
    var rate = 200.0
    @Option(positive: "Events, counted so, that are queued at once while it is measured how many a second are sent.")
    var sent = 20_000
    @Option(positive: "Events, counted so, that wait for endpoints that are away.") var queued = 1_000_000

    func measure(on stack: Stack) async throws -> Report {
        let machine = try Machine(stack: stack)
        let tokens = try await Tokens(of: stack)
        let operators = try await tokens.tokens(.operator, count: WebhookEndpoints.connections)
        let placed = try place(on: stack, try await tokens.tokens(.store, count: Self.placingConnections))
        try stack.stop(["desk", "activity-dispatch", "courier-eta", "orders"])
        _ = try stack.query("VACUUM ANALYZE")
        let received = try ReportsReceived(of: placed, on: stack, self, token: operators[0])

        let receivers = try await WebhookReceivers.start(Self.endpoints)
        Bench.log("adding \(Self.endpoints) endpoints")
        let endpoints = try WebhookEndpoints(urls: receivers.urls, port: stack.partnersPort, tokens: operators)
        try EventsSent.warmUp(endpoints, at: receivers, events: max(1, self.sent / Self.endpoints), on: stack)
        let sent = try LastEndpoint.allCases.map { last in
            try EventsSent(last, to: endpoints, at: receivers, on: stack, self)
        }
        let drained = try QueueDrained(to: endpoints, at: receivers, on: stack, self)
        return report(machine, deliveries: placed.count, received, sent, drained)
    }

    /// Places deliveries, and waits until `partners` knows all of them.
    private func place(on stack: Stack, _ storeTokens: [String]) throws -> [String] {
        Bench.log("placing \(deliveries) deliveries")
        let placed = try Workload.place(deliveries, on: try EventLoop(stack: stack, storeTokens: storeTokens))
        try waitUntil("partners knows every delivery") {
            try stack.count("SELECT count(*) FROM partners.deliveries") >= placed.count
        }
        return placed
    }
}

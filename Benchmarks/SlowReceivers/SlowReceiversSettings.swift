/// The arguments of `Benchmarks/run slow-receivers`.
struct SlowReceiversSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Of each of the two periods.
    let seconds: Double
    /// Seconds of the other stores' orders before the loaded period begins, so that it begins with full queues.
    let rampSeconds: Double
    /// Changes a second of the store that is measured.
    let rate: Double
    /// Stores whose receivers answer late.
    let slowStores: Int
    /// Seconds until they answer.
    let answerSeconds: Double
    /// Endpoints that refuse connections or never answer, in total.
    let deadEndpoints: Int
    /// Stores that share them.
    let deadStores: Int
    /// Orders a second of each of these stores.
    let orderRate: Double
    let deliveriesPerOrder: Int

    /// As many as `partners` takes of one store.
    static let endpointsPerStore = 100

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-slow-receivers.json"
        seconds = try options.number("--seconds", default: 60)
        rampSeconds = try options.number("--ramp-seconds", default: 10)
        rate = try options.number("--rate", default: 10)
        slowStores = try options.count("--slow-stores", default: 3)
        answerSeconds = try options.number("--answer-seconds", default: 10)
        deadEndpoints = try options.count("--dead-endpoints", default: 100)
        deadStores = try options.count("--dead-stores", default: 1)
        orderRate = try options.number("--order-rate", default: 1)
        deliveriesPerOrder = try options.count("--deliveries-per-order", default: 5)
        try options.finish()
        guard deadEndpoints <= deadStores * Self.endpointsPerStore else {
            throw BenchFailure("a store has at most \(Self.endpointsPerStore) endpoints")
        }
    }
}

/// The arguments of `Benchmarks/run webhooks`.
struct WebhooksSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Deliveries that are placed, and that reports are of.
    let deliveries: Int
    /// Reports in flight at once; `partners` takes up to 128 of one source.
    let connections: Int
    /// Of each of the parts that go on for a time.
    let seconds: Double
    /// Events a second, counted once for each endpoint, while it is measured how long one takes.
    let rate: Double
    /// Events, counted so, that are queued at once while it is measured how many a second are sent.
    let sent: Int
    /// Events, counted so, that wait for endpoints that are away.
    let queued: Int

    /// As many as `partners` takes.
    static let endpoints = 100
    /// To `orders`, each with a token of its own, while deliveries are placed.
    static let placingConnections = 32

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-webhooks.json"
        deliveries = try options.count("--deliveries", default: 1_000)
        connections = try options.count("--connections", default: 128)
        seconds = try options.number("--seconds", default: 20)
        rate = try options.number("--rate", default: 200)
        sent = try options.count("--sent", default: 20_000)
        queued = try options.count("--queued", default: 1_000_000)
        try options.finish()
    }
}

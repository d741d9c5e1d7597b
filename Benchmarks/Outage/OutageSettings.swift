/// The arguments of `Benchmarks/run outage`.
struct OutageSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Changes a second, before, during and after the outage.
    let rate: Double
    /// How long the broker is away.
    let seconds: Double
    /// How long latencies are measured before the outage, and after everything is sent.
    let latencySeconds: Double
    /// Connections to `orders`, each with a token of its own.
    let connections: Int

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-outage.json"
        rate = try options.number("--rate", default: 200)
        seconds = try options.number("--seconds", default: 180)
        latencySeconds = try options.number("--latency-seconds", default: 15)
        connections = try options.count("--connections", default: 64)
        try options.finish()
    }
}

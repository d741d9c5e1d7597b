/// The arguments of `Benchmarks/run`.
struct BenchSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Changes a second of the line about latency.
    let latencyRate: Double
    let latencySeconds: Double
    /// Where the ramp ends if every rate is sustained; five times as many deliveries are placed.
    let rateMax: Double
    let stepSeconds: Double
    /// Connections to `orders`, each with a token of its own.
    let connections: Int

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench.json"
        latencyRate = try options.number("--latency-rate", default: 100)
        latencySeconds = try options.number("--latency-seconds", default: 30)
        rateMax = try options.number("--rate-max", default: 600)
        stepSeconds = try options.number("--step-seconds", default: 10)
        connections = try options.count("--connections", default: 64)
        try options.finish()
    }
}

/// The arguments of `Benchmarks/run ingest`.
struct IngestSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    let couriers: Int
    /// Requests in flight at once.
    let connections: Int
    /// Of each of the measured parts.
    let seconds: Double

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-ingest.json"
        couriers = try options.count("--couriers", default: 4_000)
        connections = try options.count("--connections", default: 128)
        seconds = try options.number("--seconds", default: 20)
        try options.finish()
    }
}

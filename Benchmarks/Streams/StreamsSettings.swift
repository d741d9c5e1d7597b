/// The arguments of `Benchmarks/run streams`.
struct StreamsSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Streams that are opened, each of a device of its own.
    let streams: Int
    /// How long all of them wait while processor time is counted.
    let seconds: Double

    /// Streams that one customer may have open.
    static let streamsPerCustomer = 5

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-streams.json"
        streams = try options.count("--streams", default: 10_000)
        seconds = try options.number("--seconds", default: 60)
        try options.finish()
    }
}

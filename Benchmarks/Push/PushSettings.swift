/// The arguments of `Benchmarks/run push`.
struct PushSettings {
    let output: String
    /// Pushes of each measurement.
    let pushes: Int
    /// Requests in flight on each connection, which is also what the server allows.
    let streams: Int
    /// Times that everything is measured, in turns; the medians are reported.
    let rounds: Int
    /// Bytes of each body.
    let bodyBytes: Int

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        output = options.text("--output") ?? ".doorstep/bench-push.json"
        pushes = try options.count("--pushes", default: 100_000)
        streams = try options.count("--streams", default: 100)
        rounds = try options.count("--rounds", default: 3)
        bodyBytes = try options.count("--body-bytes", default: 700)
        try options.finish()
    }
}

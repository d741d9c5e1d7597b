import Foundation

/// The arguments of `Benchmarks/run push`.
struct PushSettings {
    let output: String
    /// Path of `apns-emulator`.
    let emulator: String
    /// What is pushed to, in this order.
    let servers: [PushServer.Kind]
    /// Pushes of each measurement.
    let pushes: Int
    /// Requests in flight on each connection, which is also what nghttpd allows.
    let streams: Int
    /// Times that everything is measured, in turns; the medians are reported.
    let rounds: Int
    /// Bytes of each body.
    let bodyBytes: Int
    /// Pushes a second of the line about latency.
    let latencyRate: Int

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        output = options.text("--output") ?? ".doorstep/bench-push.json"
        emulator =
            options.text("--emulator")
            ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "apns-emulator").path
        let server = options.text("--server")
        servers = PushServer.Kind.allCases.filter { server == nil || $0.rawValue == server }
        guard !servers.isEmpty else {
            let names = PushServer.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw BenchFailure("--server is one of: \(names)")
        }
        pushes = try options.count("--pushes", default: 30_000)
        streams = try options.count("--streams", default: 100)
        rounds = try options.count("--rounds", default: 3)
        bodyBytes = try options.count("--body-bytes", default: 700)
        latencyRate = try options.count("--latency-rate", default: 1_000)
        try options.finish()
    }
}

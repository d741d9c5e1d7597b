/// The arguments of `Benchmarks/run resync`.
struct ResyncSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Live deliveries, each with a card on a device of its own.
    let live: Int
    /// Deliveries that ended within the last twelve hours.
    let ended: Int
    /// Within which the stack's services republish everything; as they were started with.
    let intervalSeconds: Double

    init(_ arguments: some Sequence<String>, environment: [String: String]) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-resync.json"
        live = try options.count("--live", default: 1_000_000)
        ended = try options.count("--ended", default: 1_000_000)
        intervalSeconds = environment["RESYNC_INTERVAL_SECONDS"].flatMap { Double($0) } ?? 600
        try options.finish()
    }
}

/// The arguments of `Benchmarks/run desk`.
struct DeskSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Live deliveries.
    let deliveries: Int
    /// Browsers with the board open.
    let streams: Int
    /// Changes a second.
    let rate: Double
    let seconds: Double

    /// Requests for a first page.
    static let firstPages = 100
    /// Streams of one session; the desk takes up to 12.
    static let streamsPerSession = 10
    /// To `orders`, each with a token of its own, while deliveries are placed.
    static let connections = 32

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-desk.json"
        deliveries = try options.count("--deliveries", default: 2_000)
        streams = try options.count("--streams", default: 50)
        rate = try options.number("--rate", default: 20)
        seconds = try options.number("--seconds", default: 60)
        try options.finish()
    }
}

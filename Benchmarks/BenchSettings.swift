/// The arguments of `Benchmarks/run`.
struct BenchSettings {
    /// The stack's folder.
    var folder = ""
    var output = ".doorstep/bench.json"
    /// Changes a second of the line about latency.
    var latencyRate = 100.0
    var latencySeconds = 30.0
    /// Where the ramp ends if every rate is sustained; five times as many deliveries are placed.
    var rateMax = 600.0
    var stepSeconds = 10.0
    /// Connections to `orders`, each with a token of its own.
    var connections = 64

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BenchFailure("\(name) needs a value") }
            func number() throws -> Double {
                guard let number = Double(value), number > 0 else { throw BenchFailure("\(name) is a number above 0") }
                return number
            }
            switch name {
            case "--stack": folder = value
            case "--output": output = value
            case "--latency-rate": latencyRate = try number()
            case "--latency-seconds": latencySeconds = try number()
            case "--rate-max": rateMax = try number()
            case "--step-seconds": stepSeconds = try number()
            case "--connections": connections = Int(try number())
            default:
                throw BenchFailure(
                    """
                    unknown: \(name); there are --stack FOLDER, --output FILE, --latency-rate, --latency-seconds, \
                    --rate-max, --step-seconds and --connections
                    """)
            }
        }
        guard !folder.isEmpty else { throw BenchFailure("--stack FOLDER is missing") }
    }
}

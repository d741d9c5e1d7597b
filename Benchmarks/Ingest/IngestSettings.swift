/// The arguments of `Benchmarks/run ingest`.
struct IngestSettings {
    /// The stack's folder.
    var folder = ""
    var output = ".doorstep/bench-ingest.json"
    var couriers = 10_000
    /// Requests in flight at once.
    var connections = 128
    /// Of each of the measured parts.
    var seconds = 20.0

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BenchFailure("\(name) needs a value") }
            func number() throws -> Double {
                guard let number = Double(value), number > 0 else { throw BenchFailure("\(name) is a number above 0") }
                return number
            }
            switch name {
            case "--stack": folder = value
            case "--output": output = value
            case "--couriers": couriers = Int(try number())
            case "--connections": connections = Int(try number())
            case "--seconds": seconds = try number()
            default:
                throw BenchFailure(
                    """
                    unknown: \(name); there are --stack FOLDER, --output FILE, --couriers, --connections and --seconds
                    """)
            }
        }
        guard !folder.isEmpty else { throw BenchFailure("--stack FOLDER is missing") }
    }
}

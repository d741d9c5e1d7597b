/// The parts of the flood, each of which can be left out.
enum FloodPart: String, CaseIterable, Encodable, CodingKeyRepresentable {
    /// One store's orders, all for one customer with many devices.
    case orders
    /// Connections whose bodies come one byte a second.
    case slow
    /// Bodies of nested numbers.
    case numbers
    /// Bodies of positions, far above the limit and just below it.
    case positions
}

/// The arguments of `Benchmarks/run flood`.
struct FloodSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Others' changes a second; five times as many deliveries are placed.
    let rate: Double
    /// Of each of the two periods.
    let seconds: Double
    /// Connections of the others to `orders`, each with a token of its own.
    let connections: Int
    let parts: [FloodPart]
    /// Orders that the flood has open at once, or tries to.
    let orders: Int
    let deliveriesPerOrder: Int
    let devices: Int
    /// Requests a second of the orders' part: twice what one caller may send.
    let orderRate: Double
    /// Slow connections to each service.
    let slowConnections: Int
    /// Connections that send nested numbers to each of `orders` and `activity-dispatch`, one body after the other.
    let numberConnections: Int
    let numberKilobytes: Double
    /// Connections for each of the four kinds of positions' bodies.
    let positionConnections: Int
    let positionMebibytes: Double
    /// Bodies of positions a second of each connection: together about what a link of one gigabit carries.
    let positionRate: Double

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-flood.json"
        rate = try options.number("--rate", default: 20)
        seconds = try options.number("--seconds", default: 60)
        connections = try options.count("--connections", default: 16)
        let names = options.text("--parts")?.split(separator: ",").map(String.init)
        parts =
            try names?.map { name in
                guard let part = FloodPart(rawValue: name) else {
                    throw BenchFailure("--parts is a list of \(FloodPart.allCases.map(\.rawValue))")
                }
                return part
            } ?? FloodPart.allCases
        orders = try options.count("--orders", default: 30)
        deliveriesPerOrder = try options.count("--deliveries-per-order", default: 10)
        devices = try options.count("--devices", default: 20)
        orderRate = try options.number("--order-rate", default: 400)
        slowConnections = try options.count("--slow-connections", default: 256)
        numberConnections = try options.count("--number-connections", default: 4)
        numberKilobytes = try options.number("--number-kilobytes", default: 240)
        positionConnections = try options.count("--position-connections", default: 1)
        positionMebibytes = try options.number("--position-mebibytes", default: 8)
        positionRate = try options.number("--position-rate", default: 5)
        try options.finish()
    }
}

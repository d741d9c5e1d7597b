import ArgumentParser

/// The parts of the flood, each optional.
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

/// Measures the effect of a flood on others: first without it, then during it, in the same run on the same stack.
///
/// The others are customers of another store, whose deliveries change at a modest, steady rate.
struct FloodBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "flood", abstract: "Measure the effect on others while one store floods the services.")

    @OptionGroup var target: StackOptions
    @Option(positive: "Others' changes a second; five times as many deliveries are placed.") var rate = 20.0
    @Option(positive: "Seconds of each of the two periods.") var seconds = 60.0
    @Option(positive: "Connections of the others to orders, each with a token of its own.") var connections = 16
    @Option(help: "The parts of the flood, separated by commas; all if not given.", transform: floodParts)
    var parts = FloodPart.allCases
    @Option(positive: "Orders that the flood has open at once, or tries to.") var orders = 30
    @Option(positive: "Deliveries of each of the flood's orders.") var deliveriesPerOrder = 10
    @Option(positive: "Devices of the flood's customer.") var devices = 20
    @Option(positive: "Requests a second of the orders' part: twice what one caller may send.") var orderRate = 400.0
    @Option(positive: "Slow connections to each service.") var slowConnections = 256
    @Option(positive: "Connections that send nested numbers to each of orders and activity-dispatch.")
    var numberConnections = 4
    @Option(positive: "Kilobytes of a body of nested numbers.") var numberKilobytes = 240.0
    @Option(positive: "Connections for each of the four kinds of positions' bodies.") var positionConnections = 1
    @Option(positive: "Mebibytes of a body of positions far above the limit.") var positionMebibytes = 8.0
    @Option(positive: "Bodies of positions a second of each connection: together about a link of one gigabit.")
    var positionRate = 5.0

    func measure(on stack: Stack) async throws -> Report {
        let placed = try await PlacedLoad(on: stack, rate: rate, connections: connections)
        let load = placed.load
        let callers = try await FloodCallers(tokens: placed.tokens, stack: stack)
        try placed.eventLoop.register(
            (0..<devices).map { Device(id: OrderFlood.device($0), token: callers.customer) })
        Bench.log("warming up")
        _ = try load.step(changesPerSecond: load.rateMax, seconds: 5)

        Bench.log("quiet")
        let quiet = try FloodPeriod(of: load, on: stack, seconds: seconds)
        Bench.log("flood: \(parts.map(\.rawValue).joined(separator: ", "))")
        let flood = Flood(settings: self, stack: stack, callers: callers)
        try flood.start()
        let flooded = try FloodPeriod(of: load, on: stack, seconds: seconds)
        try flood.stop()
        return report(placed, quiet, flooded, flood.answers)
    }
}

@Sendable
private func floodParts(_ text: String) throws -> [FloodPart] {
    try text.split(separator: ",").map { name in
        guard let part = FloodPart(rawValue: String(name)) else {
            let names = FloodPart.allCases.map(\.rawValue).joined(separator: ",")
            throw ValidationError("It is a list of these: \(names).")
        }
        return part
    }
}

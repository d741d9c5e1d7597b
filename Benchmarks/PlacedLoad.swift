import ServiceRuntime

/// Deliveries in picking, each with a card on its customer's open stream, and the load that changes them.
struct PlacedLoad {
    let machine: Machine
    let tokens: Tokens
    let eventLoop: EventLoop
    let load: OpenLoad
    let deliveries: Int
    let devices: Int

    /// Places the deliveries that the load needs.
    ///
    /// - Parameters:
    ///   - rate: the most changes a second.
    ///   - connections: to `orders`, each with a token of its own.
    init(on stack: Stack, rate: Double, connections: Int) async throws {
        machine = try Machine(stack: stack)
        tokens = try await Tokens(of: stack)
        devices = max(1, Int(rate * OpenLoad.secondsBetweenChanges) / Workload.deliveriesPerCustomer)
        deliveries = devices * Workload.deliveriesPerCustomer
        let customers = try await tokens.tokens(.customer, count: devices)
        let stores = try await tokens.tokens(.store, count: connections)
        let (eventLoop, count) = (try EventLoop(stack: stack, storeTokens: stores), deliveries)
        self.eventLoop = eventLoop
        Bench.log("placing \(deliveries) deliveries with \(devices) devices")
        let workload = try Workload.create(on: eventLoop, tokens: customers)
        try eventLoop.run { eventLoop.versions.count == count }
        load = OpenLoad(workload: workload, eventLoop: eventLoop)
        _ = try stack.query("ANALYZE")
    }
}

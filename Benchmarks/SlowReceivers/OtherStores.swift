import NIOCore
import OrderDomain

/// Stores whose receivers answer late, refuse connections or never answer, and their continuous orders.
struct OtherStores: Sendable {
    private let names: [String]
    private let ordersPort: Int
    private let settings: SlowReceiversBench

    /// Starts their receivers and adds their endpoints.
    init(_ settings: SlowReceiversBench, on stack: Stack, operators: [String]) async throws {
        self.settings = settings
        ordersPort = stack.ordersPort
        var places = MeasuredStore.receiverPlace + 1
        var names: [String] = []
        func add(_ name: String, _ urls: [String]) throws {
            guard let store = StoreID(rawValue: name) else { throw BenchFailure("\(name) is no store") }
            _ = try WebhookEndpoints(urls: urls, port: stack.partnersPort, tokens: operators, store: store)
            names.append(name)
        }
        let delay = TimeAmount.milliseconds(Int64(settings.answerSeconds * 1_000))
        for store in 0..<settings.slowStores {
            var urls: [String] = []
            for _ in 0..<SlowReceiversBench.endpointsPerStore {
                urls.append(try await WebhookReceivers.listen(at: places, answeringAfter: delay) { _ in })
                places += 1
            }
            try add("slow-\(store)", urls)
        }
        for store in 0..<settings.deadStores {
            var urls: [String] = []
            for number in stride(from: store, to: settings.deadEndpoints, by: settings.deadStores) {
                let isSilent = number.isMultiple(of: 2)
                urls.append(
                    isSilent
                        ? try await WebhookReceivers.listenInSilence(at: places)
                        : try WebhookReceivers.refusing(at: places))
                places += 1
            }
            try add("dead-\(store)", urls)
        }
        self.names = names
    }

    /// Places an order of each store at the configured rate; all dead stores together place as many as one slow store.
    func placeOrders(token: String, until stop: StopSignal) throws {
        let requests = try RequestPool(port: ordersPort, tokens: Array(repeating: token, count: 4))
        var refused: Response?
        var turn = 0
        let begin = now()
        while !stop.isRaised {
            let dueAt = begin + .seconds(Double(turn) / settings.orderRate)
            while now() < dueAt, !stop.isRaised {
                try requests.run(until: min(dueAt, now() + 50 * .millisecond))
            }
            if let refused { throw BenchFailure("an order: \(refused.text)") }
            for name in names.prefix(settings.slowStores) + dead(inTurn: turn) {
                try requests.send(try order(of: name, turn)) { if $0.status != 201 { refused = $0 } }
            }
            turn += 1
        }
    }

    /// The dead stores of a turn, so that each places its share of orders.
    private func dead(inTurn turn: Int) -> [String] {
        let dead = names.dropFirst(settings.slowStores)
        let perTurn = min(dead.count, 4)
        return (0..<perTurn).map { dead[dead.startIndex + (turn * perTurn + $0) % dead.count] }
    }

    private func order(of store: String, _ turn: Int) throws -> Request {
        let body = try Workload.order(
            reference: "S-\(turn)", customer: "\(store)-\(turn)", store: store, deliveries: settings.deliveriesPerOrder)
        return .order(body, key: "\(store)-\(turn)")
    }
}

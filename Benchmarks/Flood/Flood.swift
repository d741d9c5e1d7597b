import Foundation
import ServiceRuntime

/// The tokens of the flood, all of one store, one customer and one courier.
struct FloodCallers: Sendable {
    let store: String
    let customer: String
    let courier: String
    /// A phone's for each kind of body, so that each has a rate of its own.
    let phones: [String]

    init(tokens: Tokens, stack: Stack) async throws {
        store = try await tokens.token(.store, OrderFlood.store, store: OrderFlood.store)
        customer = try await tokens.token(.customer, OrderFlood.customer)
        courier = try await tokens.token(.courier, "flood")
        let loop = try ClosedLoad(port: stack.courierETAPort, connections: 1)
        let operatorToken = try await tokens.token(.operator, "flood")
        var phones: [String] = []
        try loop.run(
            count: Flood.positionKinds,
            call: { _ in
                Request(
                    method: "POST", path: "/v1/couriers/flood/phones", body: #"{"app":"overland"}"#,
                    token: operatorToken)
            },
            answered: { _, answer in
                phones.append(try answer.decoded(CourierFleet.Enrolled.self, status: 201).token)
            })
        self.phones = phones
    }
}

/// The parts of the flood, each on threads of its own.
final class Flood {
    /// Too long and just below the limit, for a tracker app and for our own batch.
    static let positionKinds = 4
    /// Just below the bytes that a body of positions may have.
    private static let positionBytesBelowLimit = 1_000_000
    /// Just below the depth that a body may have.
    private static let numbersDepth = 30

    private let settings: FloodBench
    private let stack: Stack
    private let callers: FloodCallers
    private let threads = WorkThreads()
    private var counts: [FloodPart: StatusCounts] = [:]

    init(settings: FloodBench, stack: Stack, callers: FloodCallers) {
        self.settings = settings
        self.stack = stack
        self.callers = callers
    }

    /// Each part's answers so far, by status.
    var answers: [FloodPart: [Int: Int]] { counts.mapValues(\.byStatus) }

    func start() throws {
        for part in settings.parts {
            let count = StatusCounts()
            counts[part] = count
            switch part {
            case .orders: startOrders(count)
            case .slow: startSlowConnections(count)
            case .numbers: try startNumbers(count)
            case .positions: startPositions(count)
            }
        }
    }

    /// - Throws: `BenchFailure` for the first part that failed.
    func stop() throws { try threads.stop() }

    private func startOrders(_ count: StatusCounts) {
        let orders = OrderFlood(
            ordersPort: stack.ordersPort, dispatchPort: stack.dispatchPort, storeToken: callers.store,
            customerToken: callers.customer, devices: settings.devices, orders: settings.orders,
            deliveriesPerOrder: settings.deliveriesPerOrder, requestsPerSecond: settings.orderRate)
        threads.start("the flood's orders") { try orders.run(until: $0, count) }
    }

    private func startSlowConnections(_ count: StatusCounts) {
        let slow = SlowConnections(
            targets: [
                (stack.ordersPort, .order("", key: "slow", token: callers.courier)),
                (stack.courierETAPort, Request(method: "POST", path: "/ingest/traccar")),
                (
                    stack.dispatchPort,
                    Request(method: "POST", path: "/v1/devices/slow/reports", token: callers.customer)
                ),
            ], connections: settings.slowConnections)
        threads.start("slow connections") { try slow.run(until: $0, count) }
    }

    private func startNumbers(_ count: StatusCounts) throws {
        let bytes = Int(settings.numberKilobytes * 1_000)
        let numbers = Array(repeating: "1.5", count: bytes / 4).joined(separator: ",")
        let (opening, closing) = ("[", "]")
        let depth = Self.numbersDepth
        let nested = String(repeating: opening, count: depth) + numbers + String(repeating: closing, count: depth)
        let report = #"{"kind":"shown","card":"\#(UUID().uuidString)","timestamp":1.5}"#
        let order = try Workload.order(
            reference: "F", customer: OrderFlood.customer, store: OrderFlood.store, deliveries: 1)
        let wrong = order.replacing(#""quantity":2"#, with: #""quantity":2.5"#).dropLast() + #","x":\#(nested)}"#
        let requests = [
            RepeatedRequest(
                port: stack.dispatchPort,
                Request(
                    method: "POST", path: "/v1/devices/\(OrderFlood.device(0))/reports",
                    body: #"{"reports":[\#(report)],"x":\#(nested)}"#, token: callers.customer)),
            RepeatedRequest(port: stack.ordersPort, .order(String(wrong), key: "numbers", token: callers.store)),
        ]
        repeating(requests, "nested numbers", connections: settings.numberConnections, count)
    }

    private func startPositions(_ count: StatusCounts) {
        let long = Int(settings.positionMebibytes * 1_048_576)
        let bodies = [("/ingest/overland", "locations"), ("/v1/fixes", "fixes")].flatMap { path, key in
            [long, Self.positionBytesBelowLimit].map { bytes in
                let elements = Array(repeating: "{}", count: bytes / 3).joined(separator: ",")
                return (path, #"{"\#(key)":[\#(elements)]}"#)
            }
        }
        let requests = zip(bodies, callers.phones).map { body, phone in
            RepeatedRequest(
                port: stack.courierETAPort,
                Request(method: "POST", path: body.0, body: body.1, token: phone), perSecond: settings.positionRate)
        }
        repeating(requests, "positions", connections: settings.positionConnections, count)
    }

    private func repeating(_ requests: [RepeatedRequest], _ name: String, connections: Int, _ count: StatusCounts) {
        for request in requests {
            for _ in 0..<connections { threads.start(name) { try request.run(until: $0, count) } }
        }
    }
}

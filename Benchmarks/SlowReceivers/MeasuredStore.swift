import DoorstepAPI
import Foundation
import NIOCore
import OrderDomain
import Synchronization
import WireCoding

/// A store whose deliveries change at a steady rate, and whose one receiver records the arrival of each change.
final class MeasuredStore {
    /// Connections to `orders`, each with a token of its own.
    static let connections = 8
    /// The index of its receiver among the addresses.
    static let receiverPlace = 0

    private let requests: RequestPool
    private let deliveries: [String]
    private let arrivals = ChangeArrivals()
    private var changes = 0

    /// One period at one rate.
    struct Period: Encodable {
        let sent: Int
        /// Latencies from a change's due time to the end of its webhook at the receiver.
        let untilArrival: Distribution
        /// Latencies from a change's due time to its answer.
        let untilAnswer: Distribution
        /// Seconds of processor time, by process.
        let cpuSeconds: [String: Double]
    }

    /// Places the deliveries and adds the endpoint.
    ///
    /// - Parameter rate: changes a second; each delivery changes at most once in five seconds.
    init(on stack: Stack, rate: Double, tokens: [String], operators: [String]) async throws {
        requests = try RequestPool(port: stack.ordersPort, tokens: tokens)
        let count = max(1, Int(rate * OpenLoad.secondsBetweenChanges)) + Workload.deliveriesPerCustomer
        Bench.log("placing \(count) deliveries")
        deliveries = try Workload.place(count, on: try EventLoop(stack: stack, storeTokens: tokens))
        let arrivals = arrivals
        let url = try await WebhookReceivers.listen(at: Self.receiverPlace) { arrivals.add($0, at: now()) }
        _ = try WebhookEndpoints(
            urls: [url], port: stack.partnersPort, tokens: operators, store: StoreID(rawValue: Workload.store))
    }

    /// Changes deliveries at the rate for `seconds`, and waits until every change has arrived.
    func period(changesPerSecond rate: Double, seconds: Double, on stack: Stack) throws -> Period {
        let before = ProcessUsage(of: stack)
        let begin = now() + 10 * .millisecond
        let total = max(1, Int(rate * seconds))
        var due: [Change: Instant] = [:]
        var answers: [Instant] = []
        var refused: Response?
        for number in 0..<total {
            let dueAt = begin + .seconds(Double(number) / rate)
            while now() < dueAt { try requests.run(until: dueAt) }
            let delivery = deliveries[changes % deliveries.count]
            try requests.send(.change(changes / deliveries.count, of: delivery)) { answer in
                guard answer.status == 200, let version = answer.version else { return refused = answer }
                due[Change(delivery: delivery, version: version)] = dueAt
                answers.append(now() - dueAt)
            }
            changes += 1
            if let refused { throw BenchFailure("a change: \(refused.text)") }
        }
        let usage = ProcessUsage(of: stack)
        while requests.inFlight > 0 { try requests.run(until: now() + 10 * .millisecond) }
        try waitUntil("every change has arrived") { due.keys.allSatisfy { arrivals.time(of: $0) != nil } }
        let durations = due.map { change, dueAt in (arrivals.time(of: change) ?? now()) - dueAt }
        return Period(
            sent: total, untilArrival: Distribution(durations), untilAnswer: Distribution(answers),
            cpuSeconds: usage.seconds(since: before))
    }

    /// Keeps the connections for as long.
    func wait(seconds: Double) throws {
        let end = now() + .seconds(seconds)
        while now() < end { try requests.run(until: end) }
    }
}

/// One version of a delivery.
private struct Change: Hashable {
    let delivery: String
    let version: Int
}

/// When each change first arrived at the receiver.
private final class ChangeArrivals: Sendable {
    private let times = Mutex<[Change: Instant]>([:])

    func add(_ body: ByteBuffer, at time: Instant) {
        guard let event = try? WireJSON.decode(WebhookEventBody.self, from: Data(body.readableBytesView)) else {
            return
        }
        let change = Change(delivery: event.data.id.rawValue, version: event.data.version)
        times.withLock { $0[change] = $0[change] ?? time }
    }

    func time(of change: Change) -> Instant? { times.withLock { $0[change] } }
}

import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import ScriptedPeers
import SeededRandom
import SimulationSupport
import Synchronization
import TestSupport
import Testing

/// One delivery of each provider in one stack, with a receiver that gets every event of their store.
struct ProviderRun: Sendable {
    let simulation: Simulation
    let deliveries: [ProviderDelivery]
    let endpoint: WebhookEndpoint
    let receiver: WebhookReceiver
    let record = FaultRecord()
    private let seed: UInt64

    private static let store = StoreID(rawValue: "nordhavn")

    /// Runs a stack in which each provider's delivery is placed and on its customer's screen; nothing is posted yet.
    static func run(seed: UInt64, _ scenario: (ProviderRun) async throws -> Void) async throws {
        let receiver = WebhookReceiver(seed: seed)
        let server = try await ScriptedHTTPServer.start { receiver.receive($0) }
        // Any plain server would do. Its address by number, since it listens for version 4 alone.
        let url = "http://127.0.0.1:\(server.port)/events"
        let baskets = DeliveryProvider.allCases.map {
            Simulation.Basket(customer: $0.rawValue, endings: [.delivered])
        }
        try await Simulation.run(baskets) { simulation in
            let endpoint = try await WebhookEndpoint.add(
                url, of: try #require(store), on: simulation.stack)
            try receiver.trust(endpoint.secret)
            let deliveries = try await place(baskets, in: simulation, seed: seed)
            let run = ProviderRun(
                simulation: simulation, deliveries: deliveries, endpoint: endpoint, receiver: receiver, seed: seed)
            try await simulation.waitForCards()
            try await eventually("the shop has an event of each order", explain: { "\(receiver.accepted.keys)" }) {
                Set(try receiver.events().map(\.data.id)).count == baskets.count
            }
            try await scenario(run)
        }
        try await server.stop()
    }

    private static func place(
        _ baskets: [Simulation.Basket], in simulation: Simulation, seed: UInt64
    ) async throws -> [ProviderDelivery] {
        var generator = SeededGenerator(seed: seed)
        var deliveries: [ProviderDelivery] = []
        for (number, (provider, basket)) in zip(DeliveryProvider.allCases, baskets).enumerated() {
            let account = try await ProviderAccount.add(provider, to: simulation.stack)
            let order = try await simulation.place(basket, number: number, routes: [.synthetic(number)])
            let id = try #require(order.deliveries.first).id
            deliveries.append(
                ProviderDelivery(
                    id, by: account, isNamedLate: number.isMultiple(of: 2), now: simulation.stack.clock.now,
                    using: &generator))
        }
        return deliveries
    }

    /// A client of the operator's.
    var client: RetryingClient { simulation.stack.asOperator }

    // MARK: Posting

    /// Has the providers post everything, in rounds: one for each fault, which strikes in its middle, or two.
    ///
    /// Half of the deliveries are named before the first round, the others in the middle: what waits is applied then.
    func post(during faults: [Fault] = []) async throws {
        var generator = SeededGenerator(seed: seed &+ 1)
        let rounds = max(2, faults.count)
        try await setReferences(late: false)
        for round in 0..<rounds {
            if round == rounds / 2 { try await setReferences(late: true) }
            let fault = round < faults.count ? faults[round] : nil
            try await post(round, of: rounds, fault, using: &generator)
        }
    }

    private func setReferences(late: Bool) async throws {
        for delivery in deliveries where delivery.isNamedLate == late {
            try await delivery.setReference(on: simulation.stack)
        }
    }

    /// Posts a round's share of the webhooks, each provider's over two connections at once, and returns when all are
    /// taken and the stack is whole again.
    private func post(
        _ round: Int, of rounds: Int, _ fault: Fault?, using generator: inout SeededGenerator
    ) async throws {
        let lanes = deliveries.flatMap { Lane.two(of: $0, in: round, of: rounds) }
        let total = lanes.reduce(0) { $0 + $1.webhooks.count }
        let moment = Int.random(in: 1...total, using: &generator)
        let count = PostCount()
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes {
                group.addTask {
                    for webhook in lane.webhooks {
                        try await lane.account.post(webhook)
                        if count.add() == moment { reach.yield() }
                    }
                }
            }
            if let fault {
                group.addTask {
                    for await _ in reached { break }
                    try Task.checkCancellation()
                    try await strike(fault)
                }
            }
            // The first failure ends the others.
            while try await group.next() != nil {}
        }
    }
}

extension ProviderDelivery {
    /// The customer who ordered it.
    var customer: String { account.provider.rawValue }
}

/// What a provider posts one after the other in a round.
private struct Lane: Sendable {
    let account: ProviderAccount
    let webhooks: [String]

    static func two(of delivery: ProviderDelivery, in round: Int, of rounds: Int) -> [Lane] {
        let all = delivery.webhooks(in: round, of: rounds).enumerated()
        return [0, 1].map { number in
            Lane(account: delivery.account, webhooks: all.filter { $0.offset % 2 == number }.map(\.element))
        }
    }
}

/// Counts the webhooks that were taken.
private final class PostCount: Sendable {
    private let count = Atomic(0)

    /// - Returns: how many there are now.
    func add() -> Int { count.add(1, ordering: .relaxed).newValue }
}

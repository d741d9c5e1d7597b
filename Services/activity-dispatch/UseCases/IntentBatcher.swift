import FlowControl
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// An intent with the span in which it is handled, in the form of the header `traceparent`; nil without one.
typealias TracedIntent = (intent: Intent, traceparent: String?)

/// Batches intents into transactions; customers with many intents have separate batches, so that they delay no one
/// else's.
///
/// Intents that arrive while the transactions run share the next one, and the intents of one customer are in one
/// transaction at a time. A customer with more than a few intents a second is hot: their intents wait in a separate
/// queue, where a newer intent replaces an older one of the same activity, and hot customers alternate. Their
/// waits, such as for the locks of their devices, delay no other customer.
actor IntentBatcher {
    struct Configuration: Sendable {
        /// Intents of one transaction, of many customers or of a hot one; most of its cost is the customer's cards.
        var batchMax = 64
        /// Transactions of many customers at a time; each holds a connection of the pool.
        var transactionsMax = 2
        /// Transactions of hot customers at a time; each holds a connection of the pool.
        var hotTransactionsMax = 2
        /// Intents of a customer a second and at once above which they are hot: more than a person's orders cause.
        var customerPerSecond = 4.0
        var customerBurst = 24.0
        /// The time without intents after which a customer is no longer hot.
        var calmAfter = Duration.seconds(10)
        /// Customers that are remembered, hot or not.
        var customersMax = 10_000
    }

    private struct Pending {
        let intent: Intent
        let traceparent: String?
        let settle: @Sendable (Result<Void, any Error>) -> Void
    }

    private struct HotCustomer {
        var pending: [Pending] = []
        /// Whether one of its transactions runs, or it waits for its turn.
        var hasTurn = false
        var lastArrival: ContinuousClock.Instant
    }

    private let configuration: Configuration
    private let apply: @Sendable ([TracedIntent]) async throws -> Void
    /// The batches of all customers that are not hot.
    private let ordinary: GroupCommit<TracedIntent, CustomerID, Void>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant

    private var rates: RateLimiter
    private var hotCustomers: [CustomerID: HotCustomer] = [:]
    private var turns: [CustomerID] = []
    private var hotTransactions = 0

    /// - Parameter apply: applies several in one transaction, all or none.
    init(
        configuration: Configuration = .init(), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        apply: @escaping @Sendable ([TracedIntent]) async throws -> Void
    ) {
        self.configuration = configuration
        self.now = now
        self.apply = apply
        ordinary = GroupCommit(
            .init(transactionsMax: configuration.transactionsMax, requestsMax: configuration.batchMax),
            key: \.intent.customer, failsTogether: { !Self.isOfOne($0) }
        ) { group in
            try await apply(group)
            return group.map { _ in }
        }
        start = now()
        rates = RateLimiter(
            perSecond: configuration.customerPerSecond, burst: configuration.customerBurst,
            callersMax: configuration.customersMax)
    }

    /// Returns when each intent is applied, or is superseded by a waiting newer one of its activity.
    ///
    /// Intents that come together share a transaction, but for those of hot customers.
    /// - Returns: the outcome of each.
    func callAsFunction(_ intents: [TracedIntent]) async -> [Result<Void, any Error>] {
        let hot = intents.indices.filter { isHot(intents[$0].intent.customer) }
        guard !hot.isEmpty else { return await ordinary.outcomes(of: intents) }
        let others = intents.indices.filter { !hot.contains($0) }
        return await withTaskGroup(of: [(Int, Result<Void, any Error>)].self) { group in
            group.addTask { Array(zip(others, await self.ordinary.outcomes(of: others.map { intents[$0] }))) }
            for index in hot { group.addTask { [(index, await self.applyHot(intents[index]))] } }
            var outcomes = intents.map { _ in Result<Void, any Error>.success(()) }
            for await some in group { for (index, outcome) in some { outcomes[index] = outcome } }
            return outcomes
        }
    }

    private func applyHot(_ intent: TracedIntent) async -> Result<Void, any Error> {
        await withCheckedContinuation { outcome in
            add(
                Pending(
                    intent: intent.intent, traceparent: intent.traceparent, settle: { outcome.resume(returning: $0) }))
            begin()
        }
    }

    private func add(_ new: Pending) {
        let customer = new.intent.customer
        var hot = hotCustomers[customer] ?? HotCustomer(lastArrival: now())
        hot.lastArrival = now()
        if let index = hot.pending.firstIndex(where: { $0.intent.activity == new.intent.activity }) {
            // The one that is no news is settled: were the other one lost, it would be delivered again.
            let other = hot.pending[index]
            let isNewer = new.intent.step.isNews(after: other.intent.step)
            if isNewer { hot.pending[index] = new }
            (isNewer ? other : new).settle(.success(()))
        } else {
            hot.pending.append(new)
        }
        if !hot.hasTurn {
            hot.hasTurn = true
            turns.append(customer)
        }
        hotCustomers[customer] = hot
    }

    private func isHot(_ customer: CustomerID) -> Bool {
        let now = now()
        if let hot = hotCustomers[customer] {
            if hot.hasTurn || now - hot.lastArrival < configuration.calmAfter { return true }
            hotCustomers[customer] = nil
        }
        guard rates.spend(of: customer.rawValue, at: now - start) != nil else { return false }
        if hotCustomers.count >= configuration.customersMax { hotCustomers = hotCustomers.filter(\.value.hasTurn) }
        return true
    }

    private func begin() {
        while hotTransactions < configuration.hotTransactionsMax, !turns.isEmpty {
            let customer = turns.removeFirst()
            guard let hot = hotCustomers[customer] else { continue }
            let group = Array(hot.pending.prefix(configuration.batchMax))
            hotCustomers[customer]?.pending.removeFirst(group.count)
            hotTransactions += 1
            // Awaited by the callers that wait for their intents.
            Task {
                await run(group)
                hotTransactions -= 1
                endTurn(of: customer)
                begin()
            }
        }
    }

    private func endTurn(of customer: CustomerID) {
        if hotCustomers[customer]?.pending.isEmpty == false {
            turns.append(customer)
        } else {
            hotCustomers[customer]?.hasTurn = false
        }
    }

    /// Whether one intent may have made all fail.
    private static func isOfOne(_ error: any Error) -> Bool { [.ours, .badMessage].contains(FailureKind(error)) }

    private func run(_ group: [Pending]) async {
        do {
            try await apply(group.map { ($0.intent, $0.traceparent) })
            for one in group { one.settle(.success(())) }
        } catch {
            guard group.count > 1, Self.isOfOne(error) else {
                for one in group { one.settle(.failure(error)) }
                return
            }
            // One of them made all fail; applying each alone finds it.
            for one in group { await run([one]) }
        }
    }
}

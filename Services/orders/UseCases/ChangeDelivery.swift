import DomainTime
import DoorstepAPI
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Changes deliveries: rows, timelines, outbox messages and timers, in one transaction.
///
/// Every change of a delivery uses this type, whether a shop, an operator, a courier, a link, a milestone or a timer
/// requests it. Concurrent changes share a transaction.
struct ChangeDelivery: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let messages: DeliveryMessages
    /// Seals and opens what is stored of people.
    let personalData: PersonalDataBox
    private let counters: DeliveryCounters
    private let relay: OutboxRelay
    private let changes: GroupCommit<Request, DeliveryID, Result<Outcome, any Error>>

    /// One caller's request.
    struct Request: Sendable {
        let delivery: DeliveryID
        let principal: Principal
        /// The reason in the timeline, where the change itself has none.
        var reason: String?
        /// The provider's report behind the change; a known report changes nothing.
        var report: ReportKey?
        /// A courier as the principal describes them, saved with the change for later assignments by id.
        var description: Courier?
        /// Whether a waiting press about the delivery is executed first where the change would leave it without its meaning
        /// (``CourierAction/keepsMeaning(from:to:at:)``), as a cancel does although the courier has the goods.
        var overtakesPress = false
        /// The courier whom a provider's report names: such a report overtakes the press of any other courier.
        var reportedCourier: CourierID?
        /// The trace that its messages continue.
        let traceHeaders = OutboxMessage.currentTraceHeaders
        /// The change, from the delivery's present state; its error leaves the delivery unchanged.
        let decide: @Sendable (Delivery) throws -> DeliveryChange

        /// A provider's report, applied once however often it arrives.
        static func report(_ report: ProviderReport, of delivery: DeliveryID) -> Request {
            var request = Request(
                delivery: delivery, principal: Principal(.system(report.source.rawValue)),
                decide: { _ in .report(report) })
            request.report = ReportKey(delivery: delivery, source: report.source, id: report.id)
            request.overtakesPress = report.status?.overtakesPress ?? false
            request.reportedCourier = report.courier?.id
            return request
        }
    }

    struct Outcome: Sendable {
        /// The delivery after the change.
        var record: DeliveryRecord
        /// False where the delivery was already as the change asks.
        var hasChanged: Bool
        /// Whether the change ended a live delivery.
        var hasEnded = false
        /// The customer's feedback, where the change recorded it.
        var feedback: DeliveryFeedback.Kind?
    }

    /// Why a delivery was not changed, besides the domain's own reasons.
    enum Refusal: Error, Hashable, Sendable {
        /// There is none with this id, or it is not the principal's to see.
        case notFound(DeliveryID)
    }

    init(
        pool: PostgresPool, clock: DomainClock, messages: DeliveryMessages, counters: DeliveryCounters,
        relay: OutboxRelay, personalData: PersonalDataBox = .readable
    ) {
        self.personalData = personalData
        self.pool = pool
        self.clock = clock
        self.messages = messages
        self.counters = counters
        self.relay = relay
        let transaction = DeliveryTransaction.Context(
            clock: clock, messages: messages, personalData: personalData)
        changes = GroupCommit(
            .init(transactionsMax: 2, requestsMax: 64, interval: .milliseconds(5)), key: \.delivery
        ) { requests in
            let (outcomes, messages) = try await pool.withTransaction(retriesMax: 3) { database in
                var changes = DeliveryTransaction(transaction)
                try await changes.lock(Set(requests.map(\.delivery)), in: database)
                try await changes.readReported(requests.compactMap(\.report), in: database)
                let overtaking = requests.filter(changes.overtakesPress).map(\.delivery)
                try await changes.readWaiting(overtaking, on: database)
                let outcomes = requests.map { request in Result { try changes.apply(request) } }
                let messages = relay.batch(of: changes.messages)
                try await database.commit(with: changes.statements() + messages.insertion)
                return (outcomes, messages)
            }
            relay.publish(messages)
            Self.count(outcomes, by: counters)
            return outcomes
        }
    }

    /// Makes changes that were requested together, each by itself.
    func callAsFunction(_ requests: [Request]) async -> [Result<Outcome, any Error>] {
        await changes.outcomes(of: requests).map { $0.flatMap(\.self) }
    }

    /// Makes a change that does not depend on the delivery's present state.
    func callAsFunction(_ id: DeliveryID, _ change: DeliveryChange, by principal: Principal) async throws -> Outcome {
        try await callAsFunction(id, by: principal) { _ in change }
    }

    /// Makes the change that `decide` returns for the delivery, which is locked meanwhile.
    ///
    /// - Throws: `Refusal`, `ChangeRefusal`, or the error of `decide`; nothing has changed then.
    func callAsFunction(
        _ id: DeliveryID, by principal: Principal, reason: String? = nil, describing description: Courier? = nil,
        overtakesPress: Bool = false, decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> Outcome {
        let request = Request(
            delivery: id, principal: principal, reason: reason, description: description,
            overtakesPress: overtakesPress, decide: decide)
        return try await changes(request).get()
    }

    /// Changes a delivery in the caller's transaction; the caller calls `wake()` after its commit.
    ///
    /// An end is counted before that commit: where the commit fails, it counts again with the next attempt.
    func callAsFunction(
        _ id: DeliveryID, by principal: Principal, in transaction: PostgresTransaction, overtakesPress: Bool = false,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> Outcome {
        try await callAsFunction(
            [id], by: principal, in: transaction, overtakesPress: overtakesPress, decide: decide)[0].get()
    }

    /// Changes deliveries in the caller's transaction, each by itself, as the same call does one.
    func callAsFunction(
        _ ids: [DeliveryID], by principal: Principal, in transaction: PostgresTransaction, overtakesPress: Bool = false,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> [Result<Outcome, any Error>] {
        var changes = DeliveryTransaction(
            .init(clock: clock, messages: messages, personalData: personalData))
        try await changes.lock(Set(ids), in: transaction)
        if overtakesPress { try await changes.readWaiting(ids, on: transaction) }
        let outcomes = ids.map { id -> Result<Outcome, any Error> in
            let request = Request(
                delivery: id, principal: principal, overtakesPress: overtakesPress, decide: decide)
            return Result { try changes.apply(request) }
        }
        try await write(changes, in: transaction)
        Self.count(outcomes, by: counters)
        return outcomes
    }

    /// Executes a courier's press in the caller's transaction; the caller calls `wake()` after its commit.
    func execute(
        _ press: CourierPress, in transaction: PostgresTransaction
    ) async throws -> (state: CourierPress.State, hasChanged: Bool) {
        var changes = DeliveryTransaction(
            .init(clock: clock, messages: messages, personalData: personalData))
        try await changes.lock([press.delivery], in: transaction)
        let (state, outcome) = try changes.execute(press)
        try await write(changes, in: transaction)
        if let outcome { Self.count([.success(outcome)], by: counters) }
        return (state, outcome?.hasChanged ?? false)
    }

    private func write(_ changes: DeliveryTransaction, in transaction: PostgresTransaction) async throws {
        let statements = try changes.statements() + OutboxBatch(changes.messages).insertion
        if !statements.isEmpty { try await transaction.batch(statements) }
    }

    private static func count(_ outcomes: [Result<Outcome, any Error>], by counters: DeliveryCounters) {
        for case .success(let outcome) in outcomes {
            if outcome.hasEnded { counters.countEnded(outcome.record.delivery) }
            if let kind = outcome.feedback { counters.countFeedback(kind) }
        }
    }

    /// Wakes the relay, so that the messages of a committed change are published at once.
    func wake() {
        relay.wake()
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Changes one delivery: its row, its timeline, its outbox messages and its timers, in one transaction.
///
/// Every change of a delivery goes through here, whether a shop, an operator, a courier, a link, a milestone or a timer
/// asks for it.
struct ChangeDelivery: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let messages: DeliveryMessages
    let relay: OutboxRelay

    struct Outcome: Sendable {
        /// The delivery after the change.
        var record: DeliveryRecord
        /// False where the delivery was already as the change asks.
        var hasChanged: Bool
    }

    /// Why a delivery was not changed, beside the domain's own reasons.
    enum Refusal: Error, Hashable, Sendable {
        /// There is none with this id, or it is not the principal's to see.
        case notFound(DeliveryID)
    }

    /// Makes a change that does not depend on the delivery's present state.
    func callAsFunction(_ id: DeliveryID, _ change: DeliveryChange, by principal: Principal) async throws -> Outcome {
        try await callAsFunction(id, by: principal) { _ in change }
    }

    /// Makes the change that `decide` returns for the delivery, which is locked meanwhile.
    ///
    /// - Parameters:
    ///   - reason: for the timeline, where the change itself carries none.
    ///   - description: a courier as the principal describes them, saved with the change for later assignments by id.
    /// - Throws: `Refusal`, `ChangeRefusal`, or what `decide` throws; then nothing has changed.
    func callAsFunction(
        _ id: DeliveryID, by principal: Principal, reason: String? = nil, describing description: Courier? = nil,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> Outcome {
        let (outcome, messages) = try await pool.withTransaction { transaction in
            let prepared = try await self.prepare(
                id, by: principal, reason: reason, describing: description, in: transaction, decide: decide)
            let messages = relay.batch(of: prepared.messages)
            try await transaction.commit(with: prepared.statements + messages.insertion)
            return (prepared.outcome, messages)
        }
        relay.publish(messages)
        return outcome
    }

    /// The same in the caller's transaction; the caller calls `wake()` after its commit.
    func callAsFunction(
        _ id: DeliveryID, by principal: Principal, reason: String? = nil, in transaction: PostgresTransaction,
        decide: (Delivery) throws -> DeliveryChange
    ) async throws -> Outcome {
        let prepared = try await prepare(
            id, by: principal, reason: reason, describing: nil, in: transaction, decide: decide)
        let statements = prepared.statements + OutboxBatch(prepared.messages).insertion
        if !statements.isEmpty { try await transaction.batch(statements) }
        return prepared.outcome
    }

    /// What a change comes to, and what writes it.
    private struct Prepared {
        let outcome: Outcome
        var statements: [SQL] = []
        var messages: [OutboxMessage] = []
    }

    /// Locks the delivery and applies the change to it; the statements that write it are the caller's to run.
    private func prepare(
        _ id: DeliveryID, by principal: Principal, reason: String?, describing description: Courier?,
        in transaction: PostgresTransaction,
        decide: (Delivery) throws -> DeliveryChange
    ) async throws -> Prepared {
        guard var record = try await OrderRepository.lockedDelivery(id, in: transaction),
            principal.sees(record.delivery)
        else { throw Refusal.notFound(id) }
        let before = record.delivery
        let change = try decide(before)
        let now = clock.now
        guard try record.delivery.apply(change, at: now) else {
            return Prepared(outcome: Outcome(record: record, hasChanged: false))
        }
        let entry = TimelineEntry(change, from: before, to: record.delivery, by: principal, reason: reason, at: now)
        var statements = [
            try OrderRepository.update(record.delivery), OrderRepository.insert(entry, of: id),
            OrderRepository.recordChange(of: record.delivery.order, at: now),
        ]
        if let description {
            let owner = principal.speaksForAllStores ? nil : record.delivery.store.id
            statements.append(try OrderRepository.upsert(description, of: owner))
        }
        statements += DeliveryTimers.timers(for: record.delivery, after: before, at: now).map(\.scheduling)
        return Prepared(
            outcome: Outcome(record: record, hasChanged: true), statements: statements,
            messages: try messages.messages(for: record, cause: entry.kind, at: now))
    }

    /// Wakes the relay, so that the messages of a committed change are published at once.
    func wake() {
        relay.wake()
    }
}

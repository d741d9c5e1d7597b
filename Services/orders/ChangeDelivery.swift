import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// Changes one delivery: the fact, its line in the story, the message and the timers it needs, in one transaction.
///
/// Every change of a delivery goes through here, whoever asks: a shop, an operator, a courier, a link, a milestone or
/// a timer.
struct ChangeDelivery: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let announcement: Announcement
    let relay: OutboxRelay

    /// What a change came to.
    struct Outcome: Sendable {
        var stored: OrderRepository.Stored
        /// False where everything was so already.
        var hasChanged: Bool
    }

    /// Why a delivery was not changed, beside the domain's own reasons.
    enum Refusal: Error, Hashable, Sendable {
        /// There is none, or it is not theirs.
        case notFound(DeliveryID)
    }

    /// Makes a change that is known beforehand.
    func callAsFunction(_ id: DeliveryID, _ change: DeliveryChange, by actor: Actor) async throws -> Outcome {
        try await callAsFunction(id, by: actor) { _ in change }
    }

    /// Makes the change that `decide` names once it has seen the delivery, which is locked then.
    ///
    /// - Parameter reason: why, for the delivery's story, where the change itself does not say.
    /// - Throws: `Refusal`, `ChangeRefused`, or what `decide` throws; then nothing has changed.
    func callAsFunction(
        _ id: DeliveryID, by actor: Actor, reason: String? = nil,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> Outcome {
        let outcome = try await pool.withTransaction { transaction in
            let (outcome, statements) = try await self.prepare(
                id, by: actor, reason: reason, in: transaction, decide: decide)
            try await transaction.commit(with: statements)
            return outcome
        }
        if outcome.hasChanged { wake() }
        return outcome
    }

    /// The same inside a transaction of the caller's, who calls `wake()` after it.
    func change(
        _ id: DeliveryID, by actor: Actor, reason: String? = nil, in transaction: PostgresTransaction,
        decide: (Delivery) throws -> DeliveryChange
    ) async throws -> Outcome {
        let (outcome, statements) = try await prepare(id, by: actor, reason: reason, in: transaction, decide: decide)
        if !statements.isEmpty { try await transaction.batch(statements) }
        return outcome
    }

    /// Locks the delivery and decides; what is left to do is in the statements.
    private func prepare(
        _ id: DeliveryID, by actor: Actor, reason: String?, in transaction: PostgresTransaction,
        decide: (Delivery) throws -> DeliveryChange
    ) async throws -> (outcome: Outcome, statements: [SQL]) {
        guard var stored = try await OrderRepository.lockedDelivery(id, in: transaction),
            actor.sees(stored.delivery)
        else { throw Refusal.notFound(id) }
        let before = stored.delivery
        let change = try decide(before)
        let now = clock.now
        guard try stored.delivery.apply(change, at: now) else {
            return (Outcome(stored: stored, hasChanged: false), [])
        }
        let entry = TimelineEntry(change, from: before, to: stored.delivery, by: actor, reason: reason, at: now)
        var statements = [
            try OrderRepository.update(stored.delivery), OrderRepository.insert(entry, of: id),
        ]
        if case .courier(let courier?) = change {
            statements.append(try OrderRepository.remember(courier, replacing: actor.speaksForAllStores))
        }
        statements += try announcement.statements(for: stored, cause: entry.kind, at: now)
        return (Outcome(stored: stored, hasChanged: true), statements)
    }

    /// Lets what the transaction has queued go out at once; timers are not in such a hurry.
    func wake() {
        relay.wake()
    }
}

extension TimelineEntry {
    /// What one change did, in words.
    init(
        _ change: DeliveryChange, from before: Delivery, to after: Delivery, by actor: Actor, reason: String?,
        at now: Date
    ) {
        let (kind, what) = Self.words(change, from: before, to: after)
        let ownReason: String? =
            switch change {
            case .status(_, let reason): reason
            case .override(_, let reason), .hold(let reason): reason
            case .courier, .stopsBefore, .item, .answer, .answerOverdue, .leaveAtDoor, .promise, .release, .milestone:
                nil
            }
        self.init(
            at: now, version: after.version, kind: kind, what: what, by: actor.name, reason: ownReason ?? reason)
    }

    private static func words(
        _ change: DeliveryChange, from before: Delivery, to after: Delivery
    ) -> (kind: String, what: String) {
        let move = "\(before.status.words) → \(after.status.words)"
        switch change {
        case .status, .override: return ("status", move)
        case .courier(let courier?): return ("courier", "\(before.courier?.name ?? "nobody") → \(courier.name)")
        case .courier(nil): return ("courier", "\(before.courier?.name ?? "nobody") → nobody")
        case .stopsBefore(let count): return ("trip", "\(count) stops before this one")
        case .item(let id, _), .answer(let id, _, _), .answerOverdue(let id, _):
            let item = after.items.first { $0.id == id }
            let status = item?.status.rawValue ?? "unknown"
            let substitute = item?.substitute.map { " (\($0.name))" } ?? ""
            return ("item", "\(item?.name ?? id.rawValue): \(status)\(substitute)")
        case .leaveAtDoor: return ("handoff", "leave at door")
        case .promise(let promise):
            return ("promise", "now until \(WireJSON.text(of: promise.end))")
        case .hold: return ("hold", "on hold")
        case .release: return ("hold", "released")
        case .milestone(let milestone, _):
            let isMove = before.status != after.status
            return ("milestone", isMove ? "\(milestone.rawValue): \(move)" : milestone.rawValue)
        }
    }
}

extension DeliveryStatus {
    /// Both regions' codes until pickup, then the one.
    fileprivate var words: String {
        courierStatus.map { "\(code.rawValue)/\($0.rawValue)" } ?? code.rawValue
    }
}

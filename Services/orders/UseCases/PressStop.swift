import Crypto
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Receives a courier's press, keeps it while it can be undone, and then executes it once.
struct PressStop: Sendable {
    let change: ChangeDelivery
    /// Publishes the messages of a committed press at once.
    private let wakeRelay: @Sendable () -> Void

    /// - Parameter wakeRelay: nil for the relay of `change`.
    init(change: ChangeDelivery, wakeRelay: (@Sendable () -> Void)? = nil) {
        self.change = change
        self.wakeRelay = wakeRelay ?? { change.wake() }
    }

    enum Refusal: Error, Hashable, Sendable {
        /// The delivery is unknown, or another courier's.
        case notTheirs
        /// The delivery's status is past the press, or not there yet.
        case notPossible(StatusCode)
        /// The hand-over lacks these proofs.
        case proofMissing([ProofKind])
        /// The press was executed already.
        case tooLate
        /// The end that it is about was too long ago.
        case tooOld
        /// The id belongs to another press, as from an old page.
        case anotherPress
    }

    /// A page's request.
    struct Request: Hashable, Sendable {
        /// The page's own.
        let id: UUID
        let delivery: DeliveryID
        let action: CourierAction
        /// Wall seconds in which it could be undone before it was sent, as on a page without a connection.
        var heldSeconds = 0.0
        /// The presses that the page made at once with it; nil for a press about one delivery.
        var group: UUID?
        /// Whether the goods were handed over before it was sent, as on a page without a connection.
        var isLate = false
    }

    /// A page's request about several deliveries at once.
    struct GroupRequest: Hashable, Sendable {
        static let deliveriesMax = CourierPressRepository.stopsMax

        /// The page's own.
        let id: UUID
        let deliveries: [DeliveryID]
        let action: CourierAction
        var heldSeconds = 0.0

        /// The requests about each delivery, in the order of the deliveries' ids; the same for a repeated request.
        var requests: [Request] {
            Set(deliveries).sorted().map {
                Request(
                    id: PressStop.id(in: id, of: $0), delivery: $0, action: action, heldSeconds: heldSeconds,
                    group: id)
            }
        }
    }

    private static func id(in group: UUID, of delivery: DeliveryID) -> UUID {
        let digest = SHA256.hash(data: Data("\(group.uuidString) \(delivery)".utf8))
        let bytes = digest.prefix(16).map { $0 }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Stores a press, once for any number of repeats; the delivery's waiting press is executed first.
    ///
    /// - Throws: `Refusal`; nothing is stored then, and a waiting press still waits.
    func callAsFunction(_ request: Request, by courier: CourierID) async throws -> CourierPress {
        let (press, hasChanged) = try await change.pool.withTransaction(retriesMax: 3) { transaction in
            try await accept(request, by: courier, in: transaction)
        }
        if hasChanged { wakeRelay() }
        return press
    }

    /// Stores a press for each of several deliveries for which the action is still possible.
    ///
    /// A hand-over with something to check is possible by itself only.
    ///
    /// A waiting press about any of the deliveries is executed first, also about one that is left out.
    ///
    /// - Returns: one press or more.
    /// - Throws: `Refusal` where it is possible for none; nothing is stored then.
    func callAsFunction(_ request: GroupRequest, by courier: CourierID) async throws -> [CourierPress] {
        let (presses, hasChanged) = try await change.pool.withTransaction(retriesMax: 3) { transaction in
            try await accept(request, by: courier, in: transaction)
        }
        if hasChanged { wakeRelay() }
        return presses
    }

    private func accept(
        _ request: GroupRequest, by courier: CourierID, in transaction: PostgresTransaction
    ) async throws -> ([CourierPress], hasChanged: Bool) {
        // Before any of them changes: a change locks its order, for which a change of another bag of it would wait.
        _ = try await OrderRepository.lockedDeliveries(request.deliveries, opening: nil, in: transaction)
        var presses: [CourierPress] = []
        var hasChanged = false
        var refusal: Refusal?
        for part in request.requests {
            do {
                let accepted = try await accept(part, by: courier, in: transaction)
                presses.append(accepted.0)
                hasChanged = hasChanged || accepted.hasChanged
            } catch let refused as Refusal {
                // The waiting press about it may have been executed.
                (refusal, hasChanged) = (refused, true)
            }
        }
        if presses.isEmpty, let refusal { throw refusal }
        return (presses, hasChanged)
    }

    private func accept(
        _ request: Request, by courier: CourierID, in transaction: PostgresTransaction
    ) async throws -> (CourierPress, hasChanged: Bool) {
        if let earlier = try await earlier(request, by: courier, on: transaction) { return (earlier, false) }
        var delivery = try await locked(request.delivery, of: courier, in: transaction)
        // It may have been sent twice at once.
        if let earlier = try await earlier(request, by: courier, on: transaction) { return (earlier, false) }
        var hasChanged = false
        if let waiting = try await CourierPressRepository.waiting(of: [delivery.id], on: transaction).first {
            hasChanged = try await change.execute(waiting, in: transaction).hasChanged
            delivery = try await locked(request.delivery, of: courier, in: transaction)
        }
        let now = change.clock.now
        guard !request.action.isTooOld(for: delivery, at: now) else { throw Refusal.tooOld }
        let isDone = request.action.isDone(in: delivery, at: now)
        let isPossible =
            request.group == nil
            ? request.action.isLegal(for: delivery) : StopGroup.allows(request.action, for: delivery)
        // The goods of a late hand-over are gone, whatever happened to the delivery meanwhile.
        let isKept =
            !delivery.missingProofs.isEmpty
            || request.isLate && !isPossible && !delivery.requiredProofs.isEmpty && delivery.fetchedFrom == nil
        if request.action == .handedOver, !isDone, delivery.canBeProven, isKept {
            guard request.isLate else { throw Refusal.proofMissing(delivery.missingProofs) }
            let kept = try await keepHandOver(request, by: courier, at: now, in: transaction)
            return (kept.0, hasChanged || kept.hasChanged)
        }
        guard isDone || isPossible else {
            throw Refusal.notPossible(delivery.status.code)
        }
        // A press whose effect is already present leaves nothing to undo.
        let left = isDone ? 0 : max(0, CourierPress.undoSeconds - max(0, request.heldSeconds))
        var press = CourierPress(
            id: request.id, courier: courier, delivery: delivery.id, action: request.action, group: request.group,
            state: .waiting,
            pressedAt: now, dueAt: now.addingTimeInterval(left * change.clock.rate))
        try await transaction.execute(CourierPressRepository.insert(press))
        if left > 0 {
            try await transaction.schedule(
                DurableTimer(kind: DeliveryTimers.courierPress, key: press.id.uuidString, dueAt: press.dueAt))
        } else {
            let outcome = try await change.execute(press, in: transaction)
            (press.state, hasChanged) = (outcome.state, hasChanged || outcome.hasChanged)
        }
        return (press, hasChanged)
    }

    /// Keeps a late hand-over as the courier's word: with its proofs it counts, and without one the shop confirms it, and
    /// the press is refused.
    private func keepHandOver(
        _ request: Request, by courier: CourierID, at now: Date, in transaction: PostgresTransaction
    ) async throws -> (CourierPress, hasChanged: Bool) {
        let outcome = try await change(request.delivery, by: Principal(.courier(courier)), in: transaction) { _ in
            .handedOverUnconfirmed
        }
        let press = CourierPress(
            id: request.id, courier: courier, delivery: request.delivery, action: request.action,
            state: outcome.record.delivery.status == .handedOver(.delivered) ? .done : .refused, pressedAt: now,
            dueAt: now)
        try await transaction.execute(CourierPressRepository.insert(press))
        return (press, outcome.hasChanged)
    }

    /// Cancels a press, or the waiting presses of a group.
    ///
    /// - Parameter id: of the press, or of the group.
    /// - Throws: `Refusal.tooLate` after the execution of all of them.
    func undo(_ id: UUID, by courier: CourierID) async throws {
        try await change.pool.withTransaction(retriesMax: 3) { transaction in
            let found = try await CourierPressRepository.presses(id, of: courier, on: transaction)
            guard !found.isEmpty else { throw Refusal.notTheirs }
            // The executing process locks the delivery first.
            _ = try await OrderRepository.lockedDeliveries(found.map(\.delivery), opening: nil, in: transaction)
            let presses = try await CourierPressRepository.presses(id, of: courier, on: transaction)
            guard presses.contains(where: { $0.state == .waiting || $0.state == .undone }) else {
                throw Refusal.tooLate
            }
            for press in presses where press.state == .waiting {
                try await transaction.execute(CourierPressRepository.set(.undone, of: press.id))
                try await transaction.cancelTimer(kind: DeliveryTimers.courierPress, key: press.id.uuidString)
            }
        }
    }

    /// Executes a due press, in the transaction that removes its timer.
    func isDue(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let id = UUID(uuidString: timer.key),
            let press = try await CourierPressRepository.press(id, on: transaction)
        else { return }
        _ = try await OrderRepository.lockedDelivery(press.delivery, opening: nil, in: transaction)
        guard try await CourierPressRepository.press(id, on: transaction)?.state == .waiting else { return }
        _ = try await change.execute(press, in: transaction)
    }

    /// The earlier press of a repeated request.
    ///
    /// - Throws: `Refusal` where the id belongs to another press.
    private func earlier(
        _ request: Request, by courier: CourierID, on transaction: PostgresTransaction
    ) async throws -> CourierPress? {
        guard let earlier = try await CourierPressRepository.press(request.id, on: transaction) else { return nil }
        guard earlier.courier == courier, earlier.delivery == request.delivery else { throw Refusal.notTheirs }
        guard earlier.action == request.action else { throw Refusal.anotherPress }
        return earlier
    }

    private func locked(
        _ id: DeliveryID, of courier: CourierID, in transaction: PostgresTransaction
    ) async throws -> Delivery {
        guard let delivery = try await OrderRepository.lockedDelivery(id, opening: nil, in: transaction)?.delivery,
            Principal(.courier(courier)).sees(delivery)
        else { throw Refusal.notTheirs }
        return delivery
    }
}

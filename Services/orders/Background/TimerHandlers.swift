import DomainTime
import DoorstepAPI
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The handlers of a delivery's durable timers.
struct TimerHandlers: Sendable {
    let change: ChangeDelivery

    /// The handlers by kind; each runs in the transaction that removes its timer.
    var handlers: [String: TimerRunner.Handler] {
        [
            DeliveryTimers.lateIntent: writeLateIntent,
            DeliveryTimers.answerOverdue: refundUnanswered,
            DeliveryTimers.promiseEnd: markDelayed,
            DeliveryTimers.courierPress: PressStop(change: change).isDue,
            DeliveryTimers.tripAdvance: advanceTrip,
        ]
    }

    @Sendable private func writeLateIntent(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let id = DeliveryID(rawValue: timer.key),
            let record = try await OrderRepository.delivery(id, opening: nil, on: transaction)
        else { return }
        try await transaction.enqueue(try change.messages.intentMessage(for: record, at: change.clock.now))
    }

    @Sendable private func refundUnanswered(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let key = DeliveryTimers.AnswerKey(timer.key) else { return }
        let author = Principal(.system("timer of the customer's answer"))
        try await changeIfThere(key.delivery, by: author, in: transaction) { _ in
            .answerOverdue(key.item, proposal: key.proposal)
        }
    }

    @Sendable private func markDelayed(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let id = DeliveryID(rawValue: timer.key) else { return }
        let author = Principal(.system("timer of the promise's end"))
        try await changeIfThere(id, by: author, in: transaction) { delivery in
            .milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
        }
    }

    /// Changes a delivery, unless it is deleted or erased since the timer was set.
    private func changeIfThere(
        _ id: DeliveryID, by author: Principal, in transaction: PostgresTransaction,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws {
        do {
            _ = try await change(id, by: author, in: transaction, decide: decide)
        } catch ChangeDelivery.Refusal.notFound {
            return
        }
    }

    @Sendable private func advanceTrip(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let stop = DeliveryTimers.TripStop(String(decoding: timer.payload, as: UTF8.self)) else { return }
        let author = Principal(.system("timer of the courier's trip"))
        // Locked, so that no place is set between the reading of the places and the changes.
        let trip = try await OrderRepository.lockedTrip(of: stop.courier, in: transaction).map(\.delivery)
        let changes = try await OrderRepository.placeChanges(
            of: trip.map(\.id), after: timer.dueAt, timer: author.recordedName, on: transaction)
        // Another stop that was done meanwhile may have counted already.
        let later = stop.later(of: trip.filter { $0.courier?.id == stop.courier }) { delivery in
            delivery.stopsBefore + (changes[delivery.id]?.advances ?? 0)
        }.filter { delivery in
            // A place that was set after the stop was done counts without that stop.
            changes[delivery.id]?.isSet != true
        }
        guard !later.isEmpty else { return }
        let outcomes = try await change(later.map(\.id), by: author, in: transaction) {
            .stopsBefore($0.stopsBefore - 1)
        }
        // One that has ended meanwhile has no stop before it.
        for case .failure(let error) in outcomes where !(error is ChangeRefusal) { throw error }
    }
}

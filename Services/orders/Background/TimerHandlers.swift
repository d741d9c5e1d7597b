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
            let record = try await OrderRepository.delivery(id, on: transaction)
        else { return }
        try await transaction.enqueue(try change.messages.intentMessage(for: record, at: change.clock.now))
    }

    @Sendable private func refundUnanswered(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let key = DeliveryTimers.AnswerKey(timer.key) else { return }
        let author = Principal(.system("timer of the customer's answer"))
        _ = try await change(key.delivery, by: author, in: transaction) { _ in
            .answerOverdue(key.item, proposal: key.proposal)
        }
    }

    @Sendable private func markDelayed(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let id = DeliveryID(rawValue: timer.key) else { return }
        _ = try await change(id, by: Principal(.system("timer of the promise's end")), in: transaction) { delivery in
            .milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
        }
    }

    @Sendable private func advanceTrip(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let stop = DeliveryTimers.TripStop(String(decoding: timer.payload, as: UTF8.self)) else { return }
        let author = Principal(.system("timer of the courier's trip"))
        let behind = try await OrderRepository.deliveries(of: stop.courier, beyond: stop.stopsBefore, on: transaction)
        // Locked, so that no place is set between the reading of the places and the changes.
        _ = try await OrderRepository.lockedDeliveries(behind, in: transaction)
        // A place that was set after the stop was done counts without that stop.
        let placed = try await OrderRepository.placed(
            behind, after: timer.dueAt, notBy: author.recordedName, on: transaction)
        for id in behind where !placed.contains(id) {
            do {
                _ = try await change(id, by: author, in: transaction) { delivery in
                    let isBehind = delivery.courier?.id == stop.courier && delivery.stopsBefore > stop.stopsBefore
                    return .stopsBefore(delivery.stopsBefore - (isBehind ? 1 : 0))
                }
            } catch is ChangeRefusal {
                // It has ended meanwhile, so no stop is before it.
            }
        }
    }
}

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
}

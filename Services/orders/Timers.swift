import OrderDomain
import PostgresClient
import ReliableMessaging

/// The durable timers of this service, and what each does when it is due.
struct Timers: Sendable {
    /// Writes step 0 of a version that another service should have written.
    static let lateIntent = "late-intent"
    /// Refunds what the customer was asked about and did not answer.
    static let answerOverdue = "answer-overdue"
    /// Tells a customer once that the promise has passed.
    static let promiseEnd = "promise-end"

    /// Names one proposal in a timer's key.
    struct AnswerKey: Hashable, Sendable {
        let delivery: DeliveryID
        let item: ItemID
        let proposal: Int

        var text: String { "\(delivery)/\(item)/\(proposal)" }

        init(delivery: DeliveryID, item: ItemID, proposal: Int) {
            self.delivery = delivery
            self.item = item
            self.proposal = proposal
        }

        init?(_ text: String) {
            let parts = text.split(separator: "/").map(String.init)
            guard parts.count == 3, let delivery = DeliveryID(rawValue: parts[0]),
                let item = ItemID(rawValue: parts[1]),
                let proposal = Int(parts[2])
            else { return nil }
            self.init(delivery: delivery, item: item, proposal: proposal)
        }
    }

    let change: ChangeDelivery

    /// By kind, what the runner calls inside the transaction that removes the timer.
    var handlers: [String: TimerRunner.Handler] {
        [
            Self.lateIntent: { timer, transaction in
                guard let id = DeliveryID(rawValue: timer.key),
                    let stored = try await OrderRepository.delivery(id, on: transaction)
                else { return }
                try await transaction.enqueue(try change.announcement.intent(for: stored))
            },
            Self.answerOverdue: { timer, transaction in
                guard let key = AnswerKey(timer.key) else { return }
                _ = try await change.change(key.delivery, by: .system("no answer in time"), in: transaction) { _ in
                    .answerOverdue(key.item, proposal: key.proposal)
                }
            },
            Self.promiseEnd: { timer, transaction in
                guard let id = DeliveryID(rawValue: timer.key) else { return }
                _ = try await change.change(id, by: .system("the promise passed"), in: transaction) { delivery in
                    .milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
                }
            },
        ]
    }
}

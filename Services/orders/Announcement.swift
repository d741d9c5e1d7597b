import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// What the others must hear of a changed delivery, and when this service must look at it again.
struct Announcement: Sendable {
    let signer: LinkSigner
    let intents: OrderIntents

    /// The statements that queue the messages and set the timers, for the transaction that changes the delivery.
    func statements(for stored: OrderRepository.Stored, cause: String, at now: Date) throws -> [SQL] {
        let delivery = stored.delivery
        var statements = try messages(for: stored, cause: cause, at: now).map(\.insertion)
        if !OrderIntents.writesActivity(delivery) {
            let due = now.addingTimeInterval(OrderIntents.lateIntentSeconds)
            statements.append(DurableTimer(kind: Timers.lateIntent, key: delivery.id.rawValue, dueAt: due).scheduling)
        }
        if let item = delivery.proposedItem, let due = delivery.needsCustomerUntil {
            let key = Timers.AnswerKey(delivery: delivery.id, item: item.id, proposal: item.proposals)
            statements.append(DurableTimer(kind: Timers.answerOverdue, key: key.text, dueAt: due).scheduling)
        }
        if !delivery.status.isEnded, !delivery.flags.contains(.delayed) {
            statements.append(
                DurableTimer(kind: Timers.promiseEnd, key: delivery.id.rawValue, dueAt: delivery.promise.end).scheduling
            )
        }
        return statements
    }

    /// The snapshot, and the intent where this service holds the baton.
    func messages(for stored: OrderRepository.Stored, cause: String, at now: Date) throws -> [OutboxMessage] {
        let delivery = stored.delivery
        let links = signer.links(for: delivery)
        let change = DeliveryChanged(delivery: delivery, links: links, cause: cause, changedAt: now)
        var messages = [
            OutboxMessage(
                subject: Subject.deliveryChanged(delivery.id), payload: [UInt8](try WireJSON.encode(change)))
        ]
        if OrderIntents.writesActivity(delivery) { messages.append(try intent(for: stored)) }
        return messages
    }

    /// Step 0 of the delivery's present version, whoever holds the baton.
    func intent(for stored: OrderRepository.Stored) throws -> OutboxMessage {
        let delivery = stored.delivery
        let intent = intents.intent(
            for: delivery, links: signer.links(for: delivery), estimate: stored.estimate)
        return OutboxMessage(
            subject: Subject.intent(.orders, delivery.customer, intent.activity),
            payload: [UInt8](try WireJSON.encode(intent)))
    }
}

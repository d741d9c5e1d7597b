import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Builds the outbox messages of a changed delivery: its snapshot and, where this service writes it, its activity.
struct DeliveryMessages: Sendable {
    let signer: LinkSigner
    let intents: OrderIntents

    /// The statements that enqueue the messages and set the timers, for the transaction that changes the delivery.
    func statements(for record: DeliveryRecord, cause: String, at now: Date) throws -> [SQL] {
        try messages(for: record, cause: cause, at: now).map(\.insertion)
            + DeliveryTimers.timers(for: record.delivery, at: now).map(\.scheduling)
    }

    /// The snapshot, and the intent where this service writes the activity.
    func messages(for record: DeliveryRecord, cause: String, at now: Date) throws -> [OutboxMessage] {
        let delivery = record.delivery
        let snapshot = DeliveryChanged(
            delivery: delivery, links: signer.links(for: delivery), cause: cause, changedAt: now)
        var messages = [try OutboxMessage(subject: Subject.deliveryChanged(delivery.id), encoding: snapshot)]
        if OrderIntents.writesActivity(delivery) { messages.append(try intentMessage(for: record, at: now)) }
        return messages
    }

    /// Step 0 of the delivery's present version as a message, whichever service writes the activity.
    ///
    /// - Parameter now: when this is known to be true.
    func intentMessage(for record: DeliveryRecord, at now: Date) throws -> OutboxMessage {
        let intent = intent(for: record, at: now)
        return try OutboxMessage(
            subject: Subject.intent(.orders, record.delivery.customer, intent.activity), encoding: intent)
    }

    /// Step 0 of the delivery's present version, whichever service writes the activity.
    ///
    /// - Parameter now: when this is known to be true.
    func intent(for record: DeliveryRecord, at now: Date) -> Intent {
        intents.intent(
            for: record.delivery, links: signer.links(for: record.delivery), estimate: record.estimate, at: now)
    }
}

import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import WireCoding

/// Builds the outbox messages of a changed delivery: its snapshot and, where this service writes it, its activity.
struct DeliveryMessages: Sendable {
    let signer: LinkSigner
    let intents: OrderIntents
    /// Seals the PINs of deliveries that require one; nil where none can be made.
    var pins: PINBox?

    /// The snapshot, and the intent where this service writes the activity.
    ///
    /// - Parameters:
    ///   - snapshot: the delivery in bytes, in the form of messages and of the table; nil encodes it here.
    ///   - former: its status before the change; nil where unknown, and for a placed delivery.
    func messages(
        for record: DeliveryRecord, snapshot: Data? = nil, cause: String, from former: DeliveryStatus? = nil,
        at now: Date
    ) throws -> [OutboxMessage] {
        let delivery = record.delivery
        let links = signer.links(for: delivery)
        let changed = try DeliveryChanged.encoded(
            around: snapshot ?? WireJSON.encode(delivery), links: links, cause: cause, changedAt: now,
            reached: former.map { delivery.status.codesReached(from: $0) }, pin: Self.pin(of: record))
        var messages = [
            OutboxMessage(
                subject: Self.subject(of: DeliveryRevision(delivery)), key: delivery.id.rawValue,
                payload: [UInt8](changed))
        ]
        if OrderIntents.writesActivity(delivery) {
            messages.append(
                try message(
                    intents.intent(
                        for: delivery, links: links, pin: Self.pin(of: record), estimate: record.estimate, at: now)))
        }
        return messages
    }

    /// The sealed PIN that leaves this service: only while the courier is near, and before it was given.
    private static func pin(of record: DeliveryRecord) -> String? {
        switch record.delivery.status {
        case .handedOver(.arriving), .handedOver(.atDoor):
            record.delivery.missingProofs.contains(.pin) ? record.pin : nil
        case .preparing, .handedOver: nil
        }
    }

    /// Step 0 of the delivery's present version as a message, whichever service writes the activity.
    ///
    /// - Parameter now: when this is known to be true.
    func intentMessage(for record: DeliveryRecord, at now: Date) throws -> OutboxMessage {
        try message(intent(for: record, at: now))
    }

    /// The subject of a change: `courier-eta` receives deliveries with a courier, and only the placement and the end of
    /// others.
    static func subject(of delivery: DeliveryRevision) -> String {
        delivery.isUnassigned && delivery.version > 1 && !delivery.status.isEnded
            ? Subject.deliveriesChangedUnassigned : Subject.deliveriesChanged
    }

    private func message(_ intent: Intent) throws -> OutboxMessage {
        try OutboxMessage(subject: Subject.intents(.orders), key: intent.activity.rawValue, encoding: intent)
    }

    /// Step 0 of the delivery's present version, whichever service writes the activity.
    ///
    /// - Parameter now: when this is known to be true.
    func intent(for record: DeliveryRecord, at now: Date) -> Intent {
        intents.intent(
            for: record.delivery, links: signer.links(for: record.delivery), pin: Self.pin(of: record),
            estimate: record.estimate, at: now)
    }

    /// The customer's PIN, for the customer alone: while the delivery is live and the PIN was not given.
    func openPIN(of record: DeliveryRecord) -> String? {
        guard !record.delivery.status.isEnded, record.delivery.missingProofs.contains(.pin) else { return nil }
        return record.pin.flatMap { pins?.open($0, of: record.delivery.id) }
    }

    /// A new PIN, sealed, from the system's cryptographic source; nil where none can be made.
    func newPIN(of delivery: DeliveryID) throws -> String? {
        var random = SystemRandomNumberGenerator()
        return try pins?.seal(CustomerPIN.make(using: &random).digits, of: delivery)
    }

    /// The wanted state without links and PIN, for readers other than its customer.
    func stepWithoutLinks(for record: DeliveryRecord, at now: Date) -> ActivityStep {
        intents.intent(for: record.delivery, links: [], estimate: record.estimate, at: now).step
    }
}

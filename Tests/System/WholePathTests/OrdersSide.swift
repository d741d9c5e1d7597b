import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import Testing

@testable import Orders

/// What `orders` stores and publishes: each change and its messages are one transaction.
struct OrdersSide {
    private let deliveryMessages: DeliveryMessages
    private(set) var deliveries: [DeliveryID: Delivery] = [:]
    /// Durable timers of versions that `courier-eta` should have written.
    private(set) var lateIntents: [DeliveryID: Date] = [:]
    var outbox: [OutboxMessage] = []

    init() throws {
        let signer = try LinkSigner(
            origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)], signing: 1)
        deliveryMessages = DeliveryMessages(signer: signer, intents: OrderIntents(dismissal: .standard))
    }

    mutating func place(_ delivery: Delivery, at now: Date) throws {
        deliveries[delivery.id] = delivery
        try announce(delivery, at: now)
    }

    /// Makes the change where it is legal.
    mutating func change(_ id: DeliveryID, _ change: DeliveryChange, at now: Date) throws {
        guard var delivery = deliveries[id] else { return }
        // What is refused changes nothing.
        guard (try? delivery.apply(change, at: now)) == true else { return }
        deliveries[id] = delivery
        try announce(delivery, at: now)
    }

    private mutating func announce(_ delivery: Delivery, at now: Date) throws {
        outbox += try deliveryMessages.messages(for: .init(delivery: delivery), cause: "change", at: now)
        if !OrderIntents.writesActivity(delivery) {
            lateIntents[delivery.id] = now.addingTimeInterval(OrderIntents.lateIntentSeconds)
        }
    }

    /// Fires the timers that are due, each in one transaction with its message.
    mutating func fireTimers(at now: Date) throws {
        for (id, due) in lateIntents.sorted(by: { $0.key < $1.key }) where due <= now {
            guard let delivery = deliveries[id] else { continue }
            outbox.append(try deliveryMessages.intentMessage(for: .init(delivery: delivery), at: now))
            lateIntents[id] = nil
        }
    }

    /// What this service would write of a delivery.
    func step(of id: DeliveryID, at now: Date) -> ActivityStep? {
        deliveries[id].map { deliveryMessages.intent(for: .init(delivery: $0), at: now).step }
    }

    /// Publishes every snapshot again, as a resync does.
    mutating func republish(at now: Date) throws {
        for delivery in deliveries.values.sorted(by: { $0.id < $1.id }) {
            outbox += try deliveryMessages.messages(for: .init(delivery: delivery), cause: "republished", at: now)
            if !OrderIntents.writesActivity(delivery) {
                outbox.append(
                    try deliveryMessages.intentMessage(for: .init(delivery: delivery), at: delivery.statusSince))
            }
        }
    }
}

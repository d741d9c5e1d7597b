import Foundation
import OrderDomain
import ReliableMessaging
import Testing

@testable import Orders

@Suite("Durable timers of a delivery")
struct DeliveryTimersTests {
    @Test("A hand-over by the courier's word misses no promise, until it is refuted")
    func promiseEnd() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.pin]))
        try delivery.advance(to: .atDoor)
        func dueAt(after former: Delivery?) -> Date? {
            DeliveryTimers.timers(for: delivery, after: former, at: delivery.statusSince)
                .first(where: { $0.kind == DeliveryTimers.promiseEnd })?.dueAt
        }
        #expect(dueAt(after: nil) == delivery.promise.end)
        try delivery.change(.handedOverUnconfirmed)
        #expect(dueAt(after: nil) == nil)
        let handedOver = delivery
        try delivery.change(.status(.attempted, reason: nil))
        #expect(dueAt(after: handedOver) == delivery.promise.end)
    }
}

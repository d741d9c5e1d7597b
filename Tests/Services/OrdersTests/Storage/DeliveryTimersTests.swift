import Foundation
import OrderDomain
import ReliableMessaging
import Testing

@testable import Orders

@Suite("Durable timers of a delivery")
struct DeliveryTimersTests {
    @Test(
        "A hand-over by the courier's word, or by a report without its proof, misses no promise, until it is refuted",
        arguments: [true, false])
    func promiseEnd(isReported: Bool) throws {
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
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "claim", kind: "delivered",
            status: .delivered, occurredAt: delivery.statusSince, receivedAt: delivery.statusSince)
        try delivery.change(isReported ? .report(report) : .handedOverUnconfirmed)
        #expect(dueAt(after: nil) == nil)
        let handedOver = delivery
        try delivery.change(.status(.attempted, reason: nil))
        #expect(dueAt(after: handedOver) == delivery.promise.end)
    }
}

import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import Testing
import WireCoding

@testable import Partners

@Suite("The events of a delivery")
struct DeliveryEventsTests {
    @Test("A packed substitute that the customer was not asked about says so until they have been asked about it")
    func unaskedSubstitute() throws {
        let now = PartnersUnderTest.start
        let store = try #require(StoreID(rawValue: "nordhavn"))
        var delivery = try Delivery.sample(in: .picking, uuid: UUID(), store: store, at: now)
        let milk = delivery.items[0].id
        let agreed = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 0)
        let dearer = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 900)
        let answerUntil = now.addingTimeInterval(600)
        let changes: [(DeliveryChange, isUnasked: Bool)] = [
            (.item(milk, .proposed(agreed, answerUntil: answerUntil)), false),
            (.answer(milk, proposal: 1, isApproved: true), false),
            (.item(milk, .substituted(dearer)), true),
            (.item(milk, .proposed(dearer, answerUntil: answerUntil)), false),
            (.answer(milk, proposal: 2, isApproved: true), false),
        ]
        for (change, isUnasked) in changes {
            #expect(try delivery.apply(change, at: now))
            let message = DeliveryChanged(delivery: delivery, links: [], cause: "item", changedAt: now)
            let event = try #require(try DeliveryEvent.events(of: message, after: nil).first)
            let body = try WireJSON.decode(WebhookEventBody.self, from: event.body)
            #expect(body.data.items?.first?.hasUnaskedSubstitute == (isUnasked ? true : nil), "\(change)")
            // What other events have stays the same to the byte.
            let text = String(decoding: event.body, as: UTF8.self)
            #expect(text.contains("hasUnaskedSubstitute") == isUnasked, "\(change)")
        }
    }

    /// A delivery on its way to a door where a photo is required.
    private func enRoute() throws -> Delivery {
        let sample = try Delivery.sample(
            in: .placed, uuid: UUID(), store: try #require(StoreID(rawValue: "nordhavn")), at: PartnersUnderTest.start)
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [ProofKind.photo]))
        let mira = Courier(
            id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: nil)
        let changes: [DeliveryChange] = [
            .status(.accepted, reason: nil), .status(.picking, reason: nil), .courier(mira),
            .status(.staged, reason: nil), .status(.pickedUp, reason: nil), .status(.enRoute, reason: nil),
        ]
        for change in changes { _ = try delivery.apply(change, at: PartnersUnderTest.start) }
        return delivery
    }

    @Test(
        "A hand-over by the courier's word has its time until it is confirmed, and a courier at the door has none",
        arguments: ["status", DeliveryEvent.republished])
    func handedOver(cause: String) throws {
        let now = PartnersUnderTest.start
        let enRoute = try enRoute()
        var (byWord, atDoor) = (enRoute, enRoute)
        _ = try byWord.apply(.handedOverUnconfirmed, at: now)
        _ = try atDoor.apply(.status(.atDoor, reason: nil), at: now)
        var confirmed = byWord
        _ = try confirmed.apply(.image(.photo, "the photo's hash"), at: now.addingTimeInterval(60))
        let cases: [(delivery: Delivery, type: String, handedOverAt: Date?)] = [
            (byWord, "delivery.at_door", now), (atDoor, "delivery.at_door", nil),
            (confirmed, "delivery.delivered", nil),
        ]
        for one in cases {
            let reached = one.delivery.status.codesReached(from: enRoute.status)
            let message = DeliveryChanged(
                delivery: one.delivery, links: [], cause: cause, changedAt: now,
                reached: cause == DeliveryEvent.republished ? nil : reached)
            let event = try #require(try DeliveryEvent.events(of: message, after: nil).first)
            let body = try WireJSON.decode(WebhookEventBody.self, from: event.body)
            #expect(body.type.rawValue == one.type && body.data.handedOverAt == one.handedOverAt)
            // What other events have stays the same to the byte.
            let text = String(decoding: event.body, as: UTF8.self)
            #expect(text.contains("handedOverAt") == (one.handedOverAt != nil))
        }
    }
}

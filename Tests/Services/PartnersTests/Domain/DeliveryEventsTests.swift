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
}

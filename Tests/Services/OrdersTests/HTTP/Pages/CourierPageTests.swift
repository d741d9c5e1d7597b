import Foundation
import InterfaceTexts
import LiveActivity
import OrderDomain
import Testing

@testable import Orders

@Suite("A courier's page")
struct CourierPageTests {
    private func stop(_ code: StatusCode, bag: Int) throws -> CourierStop {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: Bag(number: bag, count: 2), door: sample.door, promise: sample.promise,
            handoff: sample.handoff, items: sample.items, placedAt: sample.placedAt)
        try delivery.advance(to: code)
        return CourierStop(record: DeliveryRecord(delivery: delivery), press: nil)
    }

    @Test("Two bags of one door are one stop, and what is done says which bag it was")
    func bags() throws {
        let page = CourierPage(
            day: ShowStops.Day(
                courier: Delivery.mira.id, stops: [try stop(.enRoute, bag: 1), try stop(.enRoute, bag: 2)],
                ended: [try stop(.delivered, bag: 2)], now: try Delivery.sample().placedAt, changesInSeconds: nil),
            path: "/c/x", words: Words(locale: "en"), positionsOrigin: nil, isApple: false, makeUUID: { UUID() })
        let html = page.html()
        #expect(html.components(separatedBy: "<b>Stop 1</b>").count == 3 && !html.contains("<b>Stop 2</b>"))
        #expect(html.contains("G-1042 · Bag 2 of 2 · Handed over"))
        #expect(html.contains("<title>1 · Your stops"))
    }
}

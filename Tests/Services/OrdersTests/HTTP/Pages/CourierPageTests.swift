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
            path: "/c/x", words: Words(locale: "en"), positionsOrigin: nil, keepsImages: true, isApple: false,
            makeUUID: { UUID() })
        let html = page.html()
        #expect(html.components(separatedBy: "<b>Stop 1</b>").count == 3 && !html.contains("<b>Stop 2</b>"))
        #expect(html.contains("G-1042 · Bag 2 of 2 · Handed over"))
        #expect(html.contains("<title>1 · Your stops"))
    }

    @Test("A stop that was corrected since its courier has it says what, and when; another courier is shown no notice")
    func corrected() throws {
        var delivery = try stop(.enRoute, bag: 1).delivery
        let at = delivery.statusSince.addingTimeInterval(60)
        _ = try delivery.apply(.correct(DropOffCorrection(texts: [.note: "new", .doorCode: "12"])), at: at)
        func html(_ delivery: Delivery, _ locale: String) -> String {
            let stop = CourierStop(record: DeliveryRecord(delivery: delivery), press: nil)
            return CourierPage(
                day: ShowStops.Day(
                    courier: Delivery.mira.id, stops: [stop], ended: [], now: at, changesInSeconds: nil),
                path: "/c/x", words: Words(locale: locale), positionsOrigin: nil, keepsImages: true, isApple: false,
                makeUUID: { UUID() }
            ).html()
        }
        #expect(html(delivery, "en").firstMatch(of: /Changed at [0-9:]+: door code, note</) != nil)
        #expect(html(delivery, "da").contains("dørkoden, beskeden"))
        #expect(html(delivery, "en").contains("data-correction=\"\(delivery.id)-1\""))
        let other = Courier(
            id: try #require(CourierID(rawValue: "noah")), name: "Noah", vehicle: .car, phone: nil)
        _ = try delivery.apply(.courier(other), at: at)
        #expect(!html(delivery, "en").contains("data-correction"))
    }
}

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

    private func html(
        of delivery: Delivery, at now: Date, to dropOff: DropOff? = nil, press: CourierPress? = nil
    ) -> String {
        let stop = CourierStop(
            record: DeliveryRecord(delivery: delivery, dropOff: dropOff), press: press,
            carrierPhone: delivery.fetchedFrom?.phone)
        return CourierPage(
            day: ShowStops.Day(courier: Delivery.mira.id, stops: [stop], ended: [], now: now, changesInSeconds: nil),
            path: "/c/x", words: Words(locale: "en"), positionsOrigin: nil, keepsImages: true, isApple: false,
            makeUUID: { UUID() }
        ).html()
    }

    @Test("Goods that go back are headed by their store, without the promise and the way into the customer's house")
    func returning() throws {
        let address = Address(street: "Torvegade 12", floor: "3. tv", doorCode: "1907")
        let dropOff = DropOff(recipient: nil, address: address, note: "Ring twice")
        var delivery = try stop(.enRoute, bag: 1).delivery
        try delivery.change(.leaveAtDoor)
        let late = delivery.promise.end.addingTimeInterval(60)
        let carried = html(of: delivery, at: late, to: dropOff)
        let ofDoor = ["<bdi>3. tv</bdi>", "<bdi>1907</bdi>", "Leave it at the door", "late: was due by", "Ring twice"]
        for part in ofDoor { #expect(carried.contains(part), "\(part)") }
        #expect(carried.contains("<bdi>Torvegade 12</bdi></h2>"))
        try delivery.change(.status(.returning, reason: nil))
        let returning = html(of: delivery, at: late, to: dropOff)
        for part in ofDoor { #expect(!returning.contains(part), "\(part)") }
        #expect(returning.contains("<bdi>Nordhavn</bdi></h2>") && returning.contains("<bdi>← Torvegade 12</bdi>"))
        #expect(returning.contains("<span class=\"quiet\">Order</span> <bdi>G-1042</bdi>"))
        #expect(!returning.contains("class=\"remaining"))
    }

    @Test("Goods that were handed over by the courier's word in time are not late while that waits for a proof")
    func handedOverInTime() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.pin]))
        try delivery.advance(to: .atDoor)
        let late = delivery.promise.end.addingTimeInterval(60)
        #expect(html(of: delivery, at: late).contains("late: was due by"))
        try delivery.change(.handedOverUnconfirmed)
        let page = html(of: delivery, at: late)
        #expect(!page.contains("late: was due by") && page.contains("class=\"remaining\">by "))
    }

    @Test("A broken vehicle is no problem of goods that were handed over by the courier's word")
    func vehicleWithoutGoods() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.photo]))
        try delivery.advance(to: .atDoor)
        #expect(html(of: delivery, at: delivery.statusSince).contains("problem:vehicle"))
        try delivery.change(.handedOverUnconfirmed)
        let page = html(of: delivery, at: delivery.statusSince)
        #expect(!page.contains("problem:vehicle") && page.contains("problem:damaged"))
    }

    @Test("What another courier still has leads to a call of that courier, and to the door once it is fetched")
    func fetching() throws {
        var delivery = try stop(.enRoute, bag: 1).delivery
        let finn = Courier(id: try #require(CourierID(rawValue: "finn")), name: "Finn", vehicle: .bicycle, phone: nil)
        try delivery.change(.courier(finn))
        let fetching = html(of: delivery, at: delivery.statusSince)
        #expect(fetching.contains("id=\"call-carrier-\(delivery.id)\" href=\"tel:+4512345678\""))
        #expect(!fetching.contains("geo:"))
        try delivery.change(CourierAction.pickedUp.change)
        let fetched = html(of: delivery, at: delivery.statusSince)
        #expect(fetched.contains("geo:") && !fetched.contains("tel:"))
    }

    @Test("A refused press is named, unless the delivery is already as it would have made it")
    func refused() throws {
        for (code, isNamed) in [(StatusCode.enRoute, true), (.atDoor, false)] {
            let delivery = try stop(code, bag: 1).delivery
            let press = CourierPress(
                id: UUID(), courier: Delivery.mira.id, delivery: delivery.id, action: .atDoor, state: .refused,
                pressedAt: delivery.statusSince, dueAt: delivery.statusSince)
            let page = html(of: delivery, at: delivery.statusSince, press: press)
            #expect(page.contains("The delivery had changed.") == isNamed, "\(code)")
        }
    }

    @Test("The pieces of a bag are those in it: not what is sold out or short, and substitutes by their own number")
    func pieces() throws {
        var delivery = try stop(.picking, bag: 1).delivery
        #expect(html(of: delivery, at: delivery.statusSince).contains("1 of 2, 3 items"))
        let (milk, bread) = (delivery.items[0].id, delivery.items[1].id)
        try delivery.change(.item(milk, .found(quantity: 1)))
        try delivery.change(.item(bread, .outOfStock))
        #expect(html(of: delivery, at: delivery.statusSince).contains("1 of 2, 1 item<"))
        let loaves = Substitute(name: "Rolls", quantity: 4, priceDifferenceMinorUnits: 0)
        try delivery.change(.item(bread, .substituted(loaves)))
        #expect(html(of: delivery, at: delivery.statusSince).contains("1 of 2, 5 items<"))
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

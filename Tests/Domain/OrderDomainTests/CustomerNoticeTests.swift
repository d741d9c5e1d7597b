import Foundation
import OrderDomain
import Testing

@Suite("What a customer is told and gets back")
struct CustomerNoticeTests {
    static let nobodyHome = CustomerNotice(reason: .nobodyHome, nextStep: .redelivery, refundMinorUnits: 500)

    @Test("A reason stays while the delivery comes back, and goes when it is on its way again")
    func stays() throws {
        var delivery = try delivery(in: .handedOver(.atDoor))
        _ = try delivery.apply(.status(.attempted, reason: nil, notice: .init(reason: .nobodyHome)), at: minutes(1))
        _ = try delivery.apply(.status(.returning, reason: nil), at: minutes(2))
        #expect(delivery.customerReason == .nobodyHome)
        _ = try delivery.apply(.status(.returned, reason: nil, notice: .init(nextStep: .storeContacts)), at: minutes(3))
        #expect(delivery.customerReason == .nobodyHome && delivery.nextStep == .storeContacts)
        _ = try delivery.apply(.override(.enRoute, reason: "again"), at: minutes(4))
        #expect(delivery.customerReason == nil && delivery.nextStep == nil)
    }

    @Test("What was refunded for goods that did not arrive is withdrawn when they do, and kept otherwise")
    func reopened() throws {
        var failed = try delivery(in: .handedOver(.failed))
        _ = try failed.apply(.status(.failed, reason: nil, notice: Self.nobodyHome), at: minutes(1))
        var corrected = failed
        _ = try corrected.apply(.override(.returned, reason: "it is back"), at: minutes(2))
        #expect(corrected.refundMinorUnits == 500)
        for code in [StatusCode.enRoute, .delivered] {
            var arrived = failed
            _ = try arrived.apply(.override(code, reason: "after all"), at: minutes(2))
            #expect(arrived.refundMinorUnits == nil)
        }
        var late = try delivery(in: .handedOver(.enRoute))
        _ = try late.apply(.status(.delivered, reason: nil, notice: .init(refundMinorUnits: 5)), at: minutes(1))
        _ = try late.apply(.override(.enRoute, reason: "a slip"), at: minutes(2))
        #expect(late.refundMinorUnits == 5)
    }

    @Test("The same status may be sent again to say more, which is one change")
    func later() throws {
        var delivery = try delivery(in: .handedOver(.failed))
        let version = delivery.version
        #expect(try delivery.apply(.status(.failed, reason: nil, notice: Self.nobodyHome), at: minutes(1)))
        #expect(try !delivery.apply(.status(.failed, reason: nil, notice: Self.nobodyHome), at: minutes(2)))
        #expect(delivery.version == version + 1 && delivery.refundMinorUnits == 500)
    }

    @Test("Where nothing went wrong there is nothing to explain", arguments: [StatusCode.enRoute, .delivered])
    func nothing(code: StatusCode) throws {
        var delivery = try delivery(in: .handedOver(.pickedUp))
        let before = delivery
        #expect(throws: ChangeRefusal.nothingToExplain(code)) {
            try delivery.apply(.status(code, reason: nil, notice: Self.nobodyHome), at: minutes(1))
        }
        #expect(delivery == before)
        #expect(try delivery.apply(.status(code, reason: nil, notice: .init(refundMinorUnits: 5)), at: minutes(1)))
    }

    @Test("A cancel after pickup is told as it was meant, while the goods come back")
    func cancelled() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        _ = try delivery.apply(.status(.cancelled, reason: nil, notice: .init(reason: .weather)), at: minutes(1))
        #expect(delivery.status == .handedOver(.returning) && delivery.customerReason == .weather)
    }

    @Test("What is refunded for an item stays with it until it is found after all, and can be named after pickup")
    func items() throws {
        var delivery = try delivery(in: .preparing(.picking, .assigned))
        _ = try delivery.apply(.item(milk, .outOfStock, refundMinorUnits: 2500), at: minutes(1))
        _ = try delivery.apply(.item(milk, .outOfStock), at: minutes(2))
        #expect(delivery.items[0].refundMinorUnits == 2500)
        _ = try delivery.apply(.item(milk, .found(quantity: 2)), at: minutes(3))
        #expect(delivery.items[0].refundMinorUnits == nil)
        _ = try delivery.apply(.item(milk, .outOfStock, refundMinorUnits: 5000), at: minutes(3))
        _ = try delivery.apply(.item(milk, .found(quantity: 1)), at: minutes(3))
        #expect(delivery.items[0].status == .short && delivery.items[0].refundMinorUnits == nil)
        _ = try delivery.apply(.item(milk, .found(quantity: 1), refundMinorUnits: 2500), at: minutes(3))
        _ = try delivery.apply(.item(milk, .found(quantity: 1)), at: minutes(3))
        #expect(delivery.items[0].refundMinorUnits == 2500, "as much is missing as before")
        _ = try delivery.apply(.item(milk, .found(quantity: 0)), at: minutes(3))
        _ = try delivery.apply(.item(eggs, .removed), at: minutes(4))
        _ = try delivery.apply(.status(.pickedUp, reason: nil), at: minutes(5))
        #expect(try delivery.apply(.item(eggs, .removed, refundMinorUnits: 900), at: minutes(6)))
        #expect(delivery.items[1].refundMinorUnits == 900 && delivery.items[1].status == .removed)
        #expect(try delivery.apply(.item(milk, .found(quantity: 0), refundMinorUnits: 5000), at: minutes(6)))
        #expect(delivery.items[0].refundMinorUnits == 5000 && delivery.items[0].status == .outOfStock)
        for change in [ItemChange.removed, .outOfStock, .found(quantity: 10)] {
            #expect(throws: ChangeRefusal.notInStore) { try delivery.apply(.item(milk, change), at: minutes(7)) }
        }
    }

    @Test("A delivery stored before there were reasons, currencies and refunds is read as it was")
    func stored() throws {
        let delivery = try delivery(in: .handedOver(.failed))
        let text = String(decoding: try JSONEncoder().encode(delivery), as: UTF8.self)
        #expect(!text.contains("customerReason") && !text.contains("currency") && !text.contains("refundMinorUnits"))
        #expect(try JSONDecoder().decode(Delivery.self, from: Data(text.utf8)) == delivery)
    }
}

@Suite("Currency codes")
struct CurrencyCodeTests {
    @Test("Three capital letters are a code, and the list says which people pay with")
    func codes() {
        #expect(["DKK", "JPY", "KWD", "EUR"].allSatisfy { CurrencyCode(rawValue: $0)?.isKnown == true })
        #expect(["XTS", "ABC", "HRK"].allSatisfy { CurrencyCode(rawValue: $0)?.isKnown == false })
        #expect(["dkk", "DK", "DKKK", "D K", ""].allSatisfy { CurrencyCode(rawValue: $0) == nil })
    }

    @Test("A store whose currency has left the list is still read")
    func left() throws {
        let codes = try JSONDecoder().decode([CurrencyCode].self, from: Data(#"["HRK"]"#.utf8))
        #expect(codes.map(\.rawValue) == ["HRK"])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CurrencyCode].self, from: Data(#"["kr."]"#.utf8))
        }
    }
}

import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Orders

@Suite("An entry of the timeline")
struct TimelineEntryTests {
    @Test("Customers and couriers read their own reasons alone; stores and operators read all")
    func reasons() throws {
        let authors = ["store nordhavn", "operator ada", "courier mira", "customer mette", "uber"]
        let entries = authors.map { author in
            TimelineEntry(at: Date(), version: 1, kind: "status", summary: "", by: author, reason: author)
        }
        func reasons(for reader: Principal) -> [String] { entries.compactMap { $0.redacted(for: reader).reason } }
        let mette = Principal(.customer(try #require(CustomerID(rawValue: "mette"))))
        #expect(reasons(for: mette) == ["customer mette"])
        let mira = Principal(.courier(try #require(CourierID(rawValue: "mira"))))
        #expect(reasons(for: mira) == ["courier mira"])
        #expect(reasons(for: Principal(.operator("ada"))) == authors)
    }

    @Test(
        "A courier and a customer read of an assignment without the names of couriers",
        arguments: ["nobody → Ali", "Ali → Finn", "Finn → Sara, who fetches it from Ali"])
    func assignments(summary: String) throws {
        let entry = TimelineEntry(
            at: Date(), version: 2, kind: "courier", summary: summary, by: "operator ada", reason: nil)
        let finn = Principal(.courier(try #require(CourierID(rawValue: "finn"))))
        let mette = Principal(.customer(try #require(CustomerID(rawValue: "mette"))))
        for reader in [finn, mette] { #expect(entry.redacted(for: reader).summary == "a courier was assigned") }
        #expect(entry.redacted(for: Principal(.operator("ada"))).summary == summary)
    }

    @Test(
        "A moved promise is written whole in the store's time zone, with its day where it is not the change's",
        arguments: [(0.0, "now 02:10–02:55"), (86_400, "now 22 Nov 02:10–02:55")])
    func promise(later: Double, text: String) throws {
        let before = try Delivery.sample()
        let start = before.placedAt.addingTimeInterval(1_400 + later)
        let change = DeliveryChange.promise(
            try #require(Promise(start: start, end: start.addingTimeInterval(2_700))))
        var after = before
        try after.change(change)
        let entry = TimelineEntry(
            change, from: before, to: after, by: Principal(.operator("ada")), reason: "picked late",
            at: before.placedAt)
        #expect(entry.kind == "promise" && entry.summary == text)
    }

    @Test("A move away from a broken vehicle, and back to it, says what becomes of the hold")
    func brokenVehicle() throws {
        let finn = Courier(
            id: try #require(CourierID(rawValue: "finn")), name: "Finn", vehicle: .bicycle, phone: nil)
        var delivery = try Delivery.sample()
        try delivery.advance(to: .staged)
        try delivery.change(.hold(reason: CourierProblem.vehicle.reason))
        let texts = try [finn, Delivery.mira].map { courier in
            let before = delivery
            try delivery.change(.courier(courier))
            return TimelineEntry(
                .courier(courier), from: before, to: delivery, by: Principal(.operator("ada")), reason: nil,
                at: before.placedAt
            ).summary
        }
        #expect(
            texts == [
                "Mira → Finn, released: the former courier's vehicle has broken down",
                "Finn → Mira, on hold again: this courier's vehicle has broken down",
            ])
    }

    @Test("A provider's takeover from a broken vehicle, and its withdrawal, say what becomes of the hold")
    func takeover() throws {
        let doordash = try #require(ProviderID(rawValue: "doordash"))
        let sam = Courier(id: try #require(CourierID(rawValue: "doordash-7")), name: "Sam", vehicle: .car, phone: nil)
        var delivery = try Delivery.sample()
        try delivery.advance(to: .enRoute)
        try delivery.change(.hold(reason: CourierProblem.vehicle.reason))
        var at = delivery.statusSince
        let texts = try [StatusCode.assigned, .cancelled].map { code in
            let before = delivery
            at += 60
            let report = ProviderReport(
                source: doordash, sourceName: "DoorDash", id: code.rawValue, kind: code.rawValue, status: code,
                courier: sam, occurredAt: at, receivedAt: at)
            _ = try delivery.apply(.report(report), at: at)
            return TimelineEntry(
                .report(report), from: before, to: delivery, by: Principal(.system("doordash")), reason: nil, at: at
            ).summary
        }
        #expect(
            texts == [
                "assigned, released: the former courier's vehicle has broken down",
                "cancelled, the former courier has it again, on hold again: this courier's vehicle has broken down",
            ])
    }

    @Test("A reported hand-over that an attempt or another door refutes is late, and lacks no proof")
    func refuted() throws {
        let sample = try Delivery.sample()
        let far = DropOffCorrection(door: Coordinate(clampingLatitude: 55.6761, longitude: 12.5683))
        let refutations: [(DeliveryChange, text: String)] = [
            (.status(.attempted, reason: nil), "delivered: not applied, an attempt was recorded since"),
            (.correct(far), "delivered: not applied, the door was moved since"),
        ]
        for (refutation, text) in refutations {
            var delivery = Delivery(
                id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
                store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise,
                handoff: sample.handoff, items: sample.items, placedAt: sample.placedAt,
                proof: DeliveryProof(required: [.photo]))
            try delivery.advance(to: .atDoor)
            let reportedAt = delivery.statusSince
            try delivery.change(refutation)
            let (before, now) = (delivery, reportedAt.addingTimeInterval(60))
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "late", kind: "delivered",
                status: .delivered, occurredAt: reportedAt, receivedAt: now, proofs: [.photo])
            #expect(try !delivery.apply(.report(report), at: now))
            let entries = TimelineEntry.entries(
                of: report, from: before, to: delivery, by: Principal(.system("uber")), at: now)
            #expect(entries.map(\.summary) == [text])
            #expect(entries.first?.report?.isLate == true)
        }
    }

    @Test("An item's entry names the substitute while it is offered or packed, and not after it was refused")
    func substitutes() throws {
        let milk = try #require(ItemID(rawValue: "milk"))
        let substitute = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 0)
        var asked = try Delivery.sample()
        try asked.advance(to: .picking)
        let until = asked.placedAt.addingTimeInterval(1_800)
        func summary(_ change: DeliveryChange, of delivery: Delivery) throws -> (text: String, after: Delivery) {
            var after = delivery
            try after.change(change)
            let entry = TimelineEntry(
                change, from: delivery, to: after, by: Principal(.operator("ada")), reason: nil, at: delivery.placedAt)
            return (entry.summary, after)
        }
        let offered = try summary(.item(milk, .proposed(substitute, answerUntil: until)), of: asked)
        #expect(offered.text == "Milk: substitute_proposed (Oat milk)")
        let approved = try summary(.answer(milk, proposal: 1, isApproved: true), of: offered.after)
        #expect(approved.text == "Milk: substituted (Oat milk)")
        let refused = try summary(.answer(milk, proposal: 1, isApproved: false), of: offered.after)
        #expect(refused.text == "Milk: refunded")
    }

    @Test("One stop is one", arguments: [(0, "0 stops"), (1, "1 stop"), (2, "2 stops")])
    func stops(count: Int, text: String) throws {
        let before = try Delivery.sample()
        let entry = TimelineEntry(
            .stopsBefore(count), from: before, to: before, by: Principal(.operator("ada")), reason: nil,
            at: before.placedAt)
        #expect(entry.kind == "trip" && entry.summary == text + " before this one")
    }
}

import DoorstepAPI
import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import Orders

@Suite("What a courier may press")
struct CourierActionTests {
    @Test("A usual delivery is driven by the first button alone, from the store to the door")
    func usual() throws {
        var delivery = try Delivery.sample()
        try delivery.change(.courier(Delivery.mira))
        for code in [StatusCode.accepted, .picking, .staged] { try delivery.change(.status(code, reason: nil)) }
        var pressed: [CourierAction] = []
        while let action = CourierAction.legal(for: delivery).first {
            try delivery.change(action.change)
            pressed.append(action)
        }
        #expect(pressed == [.atStore, .pickedUp, .atDoor, .handedOver])
        #expect(delivery.status == .handedOver(.delivered))
    }

    @Test("A hand-over can be reported as a mistake once, and so can the next one after a reopening")
    func mistakenAgain() throws {
        var delivery = try Delivery.sample()
        try delivery.change(.courier(Delivery.mira))
        for code in [StatusCode.accepted, .picking, .staged, .pickedUp, .atDoor, .delivered] {
            try delivery.change(.status(code, reason: nil))
        }
        for _ in 0..<2 {
            #expect(CourierAction.mistaken.isLegal(for: delivery))
            try delivery.change(CourierAction.mistaken.change)
            #expect(!CourierAction.mistaken.isLegal(for: delivery))
            try delivery.change(.override(.atDoor, reason: "it was the door of another"))
            try delivery.change(.status(.delivered, reason: nil))
        }
    }

    @Test("Whatever is offered changes the delivery, and what is not offered is not legal", arguments: 0..<50)
    func offered(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            var delivery = try Delivery.sample()
            try delivery.change(.courier(Delivery.mira))
            for _ in 0..<12 {
                let legal = CourierAction.all.filter { $0.isLegal(for: delivery) }
                let problems = CourierProblem.allCases.map(CourierAction.problem)
                #expect(
                    Set(legal)
                        == Set(CourierAction.legal(for: delivery))
                        .union(CourierAction.canReportProblem(of: delivery) ? problems : [])
                        .union(CourierAction.canReportMistake(of: delivery) ? [.mistaken] : []))
                for action in legal {
                    var next = delivery
                    let hasChanged = try next.apply(action.change, at: delivery.statusSince.addingTimeInterval(1))
                    #expect(hasChanged, "\(action) of \(delivery.status)")
                }
                let store = [StatusCode.accepted, .picking, .staged].map { DeliveryChange.status($0, reason: nil) }
                let others = store + [.hold(reason: "the shop asks"), .release, .status(.unassigned, reason: nil)]
                let changes = legal.map(\.change) + others
                _ = try? delivery.apply(
                    changes[Int.random(in: 0..<changes.count, using: &random)],
                    at: delivery.statusSince.addingTimeInterval(2))
            }
            if delivery.status.isEnded {
                #expect(CourierAction.all.allSatisfy { $0 == .mistaken || !$0.isLegal(for: delivery) })
            }
        }
    }

    @Test("At the door, where the customer may have no PIN at hand, the shop can be asked to decide, and once")
    func unproven() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.pin]))
        try delivery.advance(to: .arriving)
        #expect(CourierAction.legal(for: delivery) == [.atDoor])
        try delivery.change(CourierAction.atDoor.change)
        #expect(CourierAction.legal(for: delivery) == [.unproven, .nobodyHome])
        try delivery.change(CourierAction.unproven.change)
        #expect(delivery.proof?.undecidedSince != nil && CourierAction.legal(for: delivery) == [.nobodyHome])
        try delivery.change(CourierAction.nobodyHome.change)
        try delivery.change(CourierAction.atDoor.change)
        #expect(CourierAction.legal(for: delivery) == [.unproven, .nobodyHome], "it is another visit")
    }

    @Test("A refused age check counts after another's report of the attempt, without a button, and before a later one")
    func ageRefusedAfterAttempt() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.age]))
        try delivery.advance(to: .atDoor)
        let atDoor = delivery
        try delivery.change(.override(.attempted, reason: "nobody opened"))
        #expect(!CourierAction.ageRefused.keepsMeaning(from: atDoor, to: delivery, at: delivery.statusSince))
        #expect(CourierAction.legal(for: delivery) == [.atDoor, .bringingBack])
        #expect(CourierAction.ageRefused.isLegal(for: delivery) && !CourierAction.agePassed.isLegal(for: delivery))
        var held = delivery
        try held.change(.hold(reason: "payment is checked"))
        #expect(!CourierAction.ageRefused.isLegal(for: held))
        try delivery.change(CourierAction.ageRefused.change)
        #expect(delivery.status == .handedOver(.returning) && delivery.customerReason == .notVerified)
        try delivery.change(.override(.attempted, reason: "they ask for it again"))
        #expect(!CourierAction.ageRefused.isLegal(for: delivery), "the check is on record")
    }

    @Test("The timeline has that the courier's word for the hand-over releases the goods from a broken vehicle")
    func releasedByWord() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.photo]))
        try delivery.advance(to: .atDoor)
        try delivery.change(CourierAction.problem(.vehicle).change)
        let held = delivery
        try delivery.change(.handedOverUnconfirmed)
        let entry = TimelineEntry(
            .handedOverUnconfirmed, from: held, to: delivery, by: Principal(.courier(Delivery.mira.id)), reason: nil,
            at: delivery.statusSince)
        #expect(entry.summary == "handed over, to be confirmed, without photo, released")
    }

    @Test("Only a delivered delivery can have been a mistake, and it is reported once")
    func mistaken() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .atDoor)
        #expect(!CourierAction.mistaken.isLegal(for: delivery))
        try delivery.change(CourierAction.handedOver.change)
        #expect(CourierAction.mistaken.isLegal(for: delivery))
        try delivery.change(CourierAction.mistaken.change)
        #expect(delivery.status == .handedOver(.delivered) && delivery.flags == [.disputed])
        #expect(!CourierAction.mistaken.isLegal(for: delivery))
    }

    @Test("A courier takes back the problem that they reported, and not what the shop has on hold")
    func problems() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .enRoute)
        try delivery.change(CourierAction.problem(.noAccess).change)
        #expect(delivery.reason == "courier: there is no way to the door")
        #expect(CourierAction.legal(for: delivery) == [.solved])
        try delivery.change(CourierAction.solved.change)
        #expect(CourierAction.legal(for: delivery) == [.atDoor, .handedOver])
        try delivery.change(.status(.atDoor, reason: nil))
        try delivery.change(CourierAction.problem(.noAccess).change)
        let held = delivery
        try delivery.change(CourierAction.solved.change)
        #expect(delivery.status == .handedOver(.enRoute) && CourierAction.legal(for: delivery).first == .atDoor)
        let released = TimelineEntry(
            .release, from: held, to: delivery, by: Principal(.courier(Delivery.mira.id)), reason: nil,
            at: delivery.statusSince)
        #expect(released.summary == "released, at_door → en_route")
        try delivery.change(.hold(reason: "payment is checked"))
        #expect(CourierAction.all.allSatisfy { !$0.isLegal(for: delivery) })
    }

    @Test("A problem stays the courier's while the delivery goes on by itself, until the shop has a reason of its own")
    func problemsOnTheWay() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .enRoute)
        try delivery.change(CourierAction.problem(.vehicle).change)
        try delivery.change(.milestone(.arriving, assignmentEpoch: delivery.assignmentEpoch))
        #expect(delivery.status == .handedOver(.arriving) && CourierAction.legal(for: delivery) == [.solved])
        try delivery.change(.hold(reason: "payment is checked"))
        #expect(delivery.reason == "payment is checked" && CourierAction.legal(for: delivery) == [])
        var waiting = try Delivery.sample()
        try waiting.change(.courier(Delivery.mira))
        for code in [StatusCode.accepted, .picking] { try waiting.change(.status(code, reason: nil)) }
        try waiting.change(CourierAction.problem(.storeNotReady).change)
        try waiting.change(.status(.staged, reason: "packed now"))
        #expect(CourierAction.legal(for: waiting) == [.solved])
    }

    @Test("A press keeps its meaning where it is as possible, by the same courier, of the same goods, at the same door")
    func meaning() throws {
        func keeps(_ action: CourierAction, after change: DeliveryChange, of delivery: Delivery) throws -> Bool {
            var next = delivery
            try next.change(change)
            return action.keepsMeaning(from: delivery, to: next, at: next.statusSince.addingTimeInterval(2))
        }
        func delivery(_ code: StatusCode) throws -> Delivery {
            var delivery = try Delivery.sample()
            try delivery.advance(to: code)
            return delivery
        }
        let hold = DeliveryChange.hold(reason: "payment is checked")
        let jonas = Courier(
            id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: nil)
        let picking = try delivery(.picking)
        let oats = Item(
            id: try #require(ItemID(rawValue: "oats")), name: "Oats", quantity: 1, ifUnavailable: .refund)
        #expect(try !keeps(.pickedUp, after: .addItems([oats]), of: picking))
        #expect(try keeps(.atStore, after: .addItems([oats]), of: picking))
        #expect(try !keeps(.pickedUp, after: hold, of: picking))
        #expect(try !keeps(.pickedUp, after: .courier(jonas), of: picking))
        #expect(try keeps(.pickedUp, after: .stopsBefore(1), of: picking))
        #expect(try keeps(.pickedUp, after: .status(.pickedUp, reason: nil), of: picking), "it is done")
        #expect(try keeps(.pickedUp, after: hold, of: try delivery(.placed)), "it was not possible before")
        var asked = picking
        let milk = asked.items[0].id
        let oatMilk = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 0)
        try asked.change(.item(milk, .proposed(oatMilk, answerUntil: asked.promise.end)))
        for isApproved in [true, false] {
            let answer = DeliveryChange.answer(milk, proposal: 1, isApproved: isApproved)
            #expect(try keeps(.pickedUp, after: answer, of: asked) == !isApproved)
            #expect(try keeps(.atStore, after: answer, of: asked))
        }

        let carried = try delivery(.atDoor)
        let far = DeliveryChange.correct(
            DropOffCorrection(door: Coordinate(clampingLatitude: 55.6761, longitude: 12.5683)))
        let near = DeliveryChange.correct(
            DropOffCorrection(
                door: Coordinate(clampingLatitude: carried.door.latitude + 0.0001, longitude: carried.door.longitude)))
        let note = DeliveryChange.correct(DropOffCorrection(texts: [.note: "by the lift"]))
        for action in [CourierAction.handedOver, .nobodyHome] {
            #expect(try !keeps(action, after: far, of: carried))
            #expect(try keeps(action, after: near, of: carried), "it is the same door")
            #expect(try keeps(action, after: note, of: carried))
        }
        #expect(try !keeps(.atDoor, after: far, of: try delivery(.enRoute)))
        #expect(try keeps(.problem(.vehicle), after: hold, of: carried), "its reason would be replaced")
        for attempt in [CourierAction.nobodyHome.change, .override(.attempted, reason: "nobody opened")] {
            #expect(try !keeps(.nobodyHome, after: attempt, of: carried))
        }
        var attempted = try delivery(.enRoute)
        let onWay = attempted
        try attempted.change(.override(.attempted, reason: "nobody opened"))
        #expect(!CourierAction.atDoor.keepsMeaning(from: onWay, to: attempted, at: attempted.statusSince))
        #expect(try keeps(.nobodyHome, after: note, of: attempted), "it was attempted before")
        #expect(try keeps(.problem(.vehicle), after: far, of: carried))

        let ended = try delivery(.delivered)
        #expect(try !keeps(.mistaken, after: .feedback(.missing, items: []), of: ended))
        #expect(try keeps(.mistaken, after: .feedback(.allRight, items: []), of: ended))
    }

    @Test("A visit to the store and a pickup are done once the goods are under way or delivered, in the same episode")
    func passed() throws {
        let early = [CourierAction.atStore, .pickedUp]
        func done(_ delivery: Delivery) -> [CourierAction] {
            (early + [.broughtBack]).filter { $0.isDone(in: delivery, at: delivery.statusSince) }
        }
        var delivery = try Delivery.sample()
        try delivery.change(.courier(Delivery.mira))
        for code in [StatusCode.accepted, .picking, .staged, .atStore] {
            try delivery.change(.status(code, reason: nil))
        }
        #expect(done(delivery) == [.atStore])
        for code in [StatusCode.pickedUp, .enRoute, .arriving, .atDoor, .delivered] {
            try delivery.change(.status(code, reason: nil))
            #expect(done(delivery) == early, "\(code)")
        }
        try delivery.change(.override(.enRoute, reason: "it was the door of another"))
        #expect(done(delivery) == [])

        var moved = try Delivery.sample()
        try moved.advance(to: .atDoor)
        var attempted = moved
        let noah = Courier(id: try #require(CourierID(rawValue: "noah")), name: "Noah", vehicle: .car, phone: nil)
        try moved.change(.courier(noah))
        #expect(moved.fetchedFrom != nil && done(moved) == [])
        try attempted.change(.status(.attempted, reason: nil))
        #expect(done(attempted) == [])
    }

    @Test("Nobody home is done once the attempt is on record, and replaces no reason that the customer reads")
    func attempted() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .atDoor)
        #expect(!CourierAction.nobodyHome.isDone(in: delivery, at: delivery.statusSince))
        let reasons: [(recorded: CustomerReason?, shown: CustomerReason)] = [
            (nil, .nobodyHome), (.notAccepted, .notAccepted),
        ]
        for (recorded, shown) in reasons {
            var attempted = delivery
            try attempted.change(.status(.attempted, reason: nil, notice: CustomerNotice(reason: recorded)))
            #expect(CourierAction.nobodyHome.isDone(in: attempted, at: attempted.statusSince))
            try attempted.change(CourierAction.nobodyHome.change(of: attempted))
            #expect(attempted.status == .handedOver(.attempted) && attempted.customerReason == shown)
        }
    }

    @Test("Each action is written as one word of its own, and read back")
    func words() {
        #expect(Set(CourierAction.all.map(\.rawValue)).count == CourierAction.all.count)
        for action in CourierAction.all { #expect(CourierAction(rawValue: action.rawValue) == action) }
        #expect(CourierAction(rawValue: "problem:") == nil && CourierAction(rawValue: "delivered") == nil)
    }
}

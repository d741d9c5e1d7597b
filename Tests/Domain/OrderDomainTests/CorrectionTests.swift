import Foundation
import OrderDomain
import Testing
import WireCoding

@Suite("A corrected delivery")
struct CorrectedDeliveryTests {
    private static let elsewhere = Coordinate(clampingLatitude: 52.54, longitude: 13.45)
    private static let nextDoor = Coordinate(clampingLatitude: 52.5301, longitude: 13.42)
    private static let note = DeliveryChange.correct(DropOffCorrection(texts: [.note: "new"]))
    private static let moved = DeliveryChange.correct(
        DropOffCorrection(door: elsewhere, texts: [.street: "Strandgade 2"]))
    private static let bread = Item(id: itemID("bread"), name: "Bread", quantity: 1, ifUnavailable: .refund)

    @Test("Address and recipient change until the goods go back", arguments: DeliveryStatus.all)
    func usualLimit(status: DeliveryStatus) throws {
        var delivery = try delivery(in: status)
        let isOpen = !status.isEnded && status != .handedOver(.returning)
        let changes: [DeliveryChange] = [Self.note, .correct(DropOffCorrection(texts: [.recipientName: "Ole"]))]
        for change in changes {
            #expect(((try? delivery.apply(change, at: minutes(1))) ?? false) == isOpen, "\(change)")
        }
        #expect(delivery.isCorrectable(.dropOff) == isOpen)
        #expect(delivery.correction?.fields == (isOpen ? [.note, .recipientName] : nil))
        #expect(delivery.correction?.number == (isOpen ? 2 : nil))
    }

    @Test("A store's limit refuses from its status on", arguments: CorrectionLimits.codes)
    func ownLimit(limit: StatusCode) throws {
        for status in DeliveryStatus.all where !status.isEnded {
            let placed = placedDelivery()
            let store = Store(
                id: placed.store.id, name: placed.store.name, location: placed.store.location,
                timeZone: placed.store.timeZone,
                corrections: CorrectionLimits(
                    dropOffUntil: limit, recipientUntil: limit, itemsUntil: limit, promiseUntil: limit))
            var delivery = try delivery(in: status, of: store)
            let isOpen = status.code.rank < limit.rank
            let next = promise(70, 100)
            #expect(((try? delivery.apply(Self.note, at: minutes(1))) ?? false) == isOpen, "\(status)")
            #expect(((try? delivery.apply(.promise(next), at: minutes(1))) ?? false) == isOpen, "\(status)")
            let isInStore = status.courierStatus != nil
            #expect(((try? delivery.apply(.addItems([Self.bread]), at: minutes(1))) ?? false) == (isOpen && isInStore))
        }
    }

    @Test("A courier near the former door, or at it, is on the way to the corrected one")
    func courierIsSentOn() throws {
        for tail in [TailStatus.pickedUp, .enRoute, .arriving, .atDoor, .attempted] {
            var delivery = try delivery(in: .handedOver(tail))
            #expect(try delivery.apply(Self.moved, at: minutes(1)))
            let next = tail == .pickedUp ? TailStatus.pickedUp : .enRoute
            #expect(delivery.status == .handedOver(next) && delivery.door == Self.elsewhere)
            #expect(delivery.courier == anna && delivery.customerReason == nil)
            #expect((delivery.formerApproaches == 1) == ![.pickedUp, .enRoute].contains(tail))
        }
        var here = try delivery(in: .handedOver(.atDoor))
        #expect(try here.apply(.correct(DropOffCorrection(door: Self.nextDoor)), at: minutes(1)))
        #expect(here.status == .handedOver(.atDoor) && here.door == Self.nextDoor)
    }

    @Test("The corrections of one courier are counted together, those before another courier are not theirs")
    func epochs() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        _ = try delivery.apply(Self.note, at: minutes(1))
        _ = try delivery.apply(Self.moved, at: minutes(2))
        #expect(delivery.correction?.fields == [.door, .note, .street] && delivery.correction?.at == minutes(2))
        _ = try delivery.apply(.courier(ben), at: minutes(3))
        #expect(delivery.correction?.assignmentEpoch != delivery.assignmentEpoch)
        _ = try delivery.apply(Self.note, at: minutes(4))
        #expect(delivery.correction?.fields == [.note] && delivery.correction?.number == 3)
    }

    private static let cora = Courier(id: courierID("cora"), name: "Cora", vehicle: .bicycle, phone: nil)

    /// A provider's report that its courier has the delivery; without a courier, that none is assigned yet.
    private func assignment(
        _ id: String, at time: Date, of courier: Courier? = ben, by source: String = "uber"
    ) throws -> DeliveryChange {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: source)), sourceName: source, id: id, kind: "pickup",
                status: courier == nil ? .unassigned : .assigned, courier: courier, occurredAt: time,
                receivedAt: time))
    }

    /// A delivery whose courier a provider's report gave it.
    private func carried() throws -> Delivery {
        var delivery = placedDelivery()
        _ = try delivery.apply(try assignment("1", at: start), at: start)
        #expect(delivery.isCarriedByProvider)
        return delivery
    }

    @Test("A provider's delivery waits until a person has informed the provider, or the shop's own courier has it")
    func provider() throws {
        var delivery = try carried()
        _ = try delivery.apply(.addItems([Self.bread]), at: minutes(1))
        #expect(delivery.correctionsDue == nil, "no provider packs")
        _ = try delivery.apply(Self.note, at: minutes(2))
        #expect(delivery.correctionsDue == [.provider])
        #expect(try delivery.apply(.settleCorrection(.provider), at: minutes(3)))
        #expect(delivery.correctionsDue == nil)
        #expect(try !delivery.apply(.settleCorrection(.provider), at: minutes(4)))
        var moved = try carried()
        _ = try moved.apply(Self.note, at: minutes(2))
        _ = try moved.apply(.courier(anna), at: minutes(3))
        #expect(moved.correctionsDue == nil && !moved.isCarriedByProvider)
        var own = try OrderDomainTests.delivery(in: .handedOver(.enRoute))
        _ = try own.apply(Self.note, at: minutes(1))
        #expect(own.correctionsDue == nil)
    }

    @Test("A provider learns of a moved promise and of another hand-over by a person, as of a correction")
    func movedPromiseAndHandoff() throws {
        var (delivery, own) = (try carried(), placedDelivery())
        for change in [DeliveryChange.promise(promise(70, 100)), .leaveAtDoor, .handToCustomer] {
            #expect(try delivery.apply(change, at: minutes(1)))
            #expect(delivery.correctionsDue == [.provider], "\(change)")
            #expect(try delivery.apply(.settleCorrection(.provider), at: minutes(2)))
            #expect(try own.apply(change, at: minutes(1)))
            #expect(own.correctionsDue == nil, "\(change)")
        }
    }

    @Test("A move that is undone gives the provider's courier a delivery of which the provider may have former values")
    func movedBack() throws {
        for change in [Self.note, .promise(promise(70, 100)), .leaveAtDoor] {
            var delivery = try carried()
            _ = try delivery.apply(change, at: minutes(1))
            for (courier, due) in [(anna, nil), (ben, [.provider])] as [(Courier, [CorrectionDue]?)] {
                _ = try delivery.apply(.courier(courier), at: minutes(2))
                #expect(delivery.correctionsDue == due, "\(change)")
            }
        }
        for changes in [[], [DeliveryChange.addItems([Self.bread])]] {
            var delivery = try carried()
            for change in changes + [.courier(anna), .courier(ben)] { _ = try delivery.apply(change, at: minutes(1)) }
            #expect(delivery.correctionsDue == nil, "no provider has a former value")
        }
        var delivery = try carried()
        for change in [Self.note, .courier(anna)] { _ = try delivery.apply(change, at: minutes(1)) }
        _ = try delivery.apply(try assignment("2", at: minutes(5)), at: minutes(5))
        #expect(delivery.courier?.id == ben.id && delivery.correctionsDue == [.provider], "a report brings it back")
        var swapped = try carried()
        let others: [DeliveryChange] = [
            Self.note, try assignment("2", at: minutes(2), of: Self.cora), .addItems([Self.bread]), .courier(anna),
        ]
        for change in others { _ = try swapped.apply(change, at: minutes(2)) }
        #expect(swapped.correction?.fields == [.items] && swapped.correctionsDue == nil)
        _ = try swapped.apply(.courier(Self.cora), at: minutes(3))
        #expect(swapped.correctionsDue == [.provider], "the note is of before another of the provider's couriers")
    }

    @Test("A provider that gets a delivery for the first time has its present values")
    func firstProvider() throws {
        for change in [Self.note, .promise(promise(70, 100)), .leaveAtDoor] {
            var own = placedDelivery()
            for next in [DeliveryChange.courier(anna), change] { _ = try own.apply(next, at: minutes(2)) }
            _ = try own.apply(try assignment("2", at: minutes(3)), at: minutes(3))
            #expect(own.courier?.id == ben.id && own.correctionsDue == nil, "\(change)")
            var ordered = placedDelivery()
            let pending = try assignment("1", at: minutes(1), of: nil)
            for next in [DeliveryChange.courier(anna), pending, change] { _ = try ordered.apply(next, at: minutes(2)) }
            _ = try ordered.apply(try assignment("2", at: minutes(3)), at: minutes(3))
            #expect(ordered.correctionsDue == [.provider], "it was ordered before: \(change)")
            var other = try carried()
            _ = try other.apply(change, at: minutes(1))
            let byOther = try assignment("2", at: minutes(2), of: Self.cora, by: "doordash")
            _ = try other.apply(byOther, at: minutes(2))
            #expect(other.courier?.id == Self.cora.id && other.correctionsDue == [.provider], "\(change)")
            _ = try other.apply(.courier(anna), at: minutes(3))
            #expect(other.correctionsDue == nil)
            _ = try other.apply(try assignment("3", at: minutes(4)), at: minutes(4))
            #expect(other.correctionsDue == [.provider], "the first provider gets it back: \(change)")
        }
    }

    @Test("A former provider's cancel informs no other provider, in whichever order the two report")
    func withdrawn() throws {
        let uber = try #require(ProviderID(rawValue: "uber"))
        let cancel = DeliveryChange.report(
            ProviderReport(
                source: uber, sourceName: "uber", id: "2", kind: "cancel", status: .cancelled, occurredAt: minutes(3),
                receivedAt: minutes(3), successor: ProviderID(rawValue: "doordash")))
        let next = try assignment("3", at: minutes(4), of: Self.cora, by: "doordash")
        for reports in [[cancel, next], [next, cancel]] {
            var delivery = try carried()
            _ = try delivery.apply(Self.note, at: minutes(2))
            for report in reports { _ = try delivery.apply(report, at: minutes(4)) }
            #expect(delivery.courier?.id == Self.cora.id && delivery.correctionsDue == [.provider])
            _ = try delivery.apply(.courier(anna), at: minutes(5))
            #expect(delivery.correctionsDue == nil, "the shop's own courier reads the present values")
        }
    }

    @Test("What an end closed about a provider's corrected delivery is due again when it goes on")
    func reopened() throws {
        func ended(after changes: [DeliveryChange]) throws -> Delivery {
            var delivery = try carried()
            for change in changes { _ = try delivery.apply(change, at: minutes(1)) }
            _ = try delivery.apply(.override(.delivered, reason: "set up"), at: minutes(2))
            #expect(delivery.correctionsDue == nil)
            return delivery
        }
        let swapped: [DeliveryChange] = [
            Self.note, try assignment("2", at: minutes(1), of: Self.cora), .addItems([Self.bread]),
        ]
        for changes in [[Self.note], [.promise(promise(70, 100))], [.leaveAtDoor], swapped] as [[DeliveryChange]] {
            var delivery = try ended(after: changes)
            _ = try delivery.apply(.override(.enRoute, reason: "it was not"), at: minutes(3))
            #expect(delivery.correctionsDue == [.provider], "\(changes)")
        }
        var corrected = try ended(after: [Self.note])
        _ = try corrected.apply(.override(.failed, reason: "it was not"), at: minutes(3))
        #expect(corrected.status.isEnded && corrected.correctionsDue == nil, "another end is one too")
        for changes in [[], [DeliveryChange.addItems([Self.bread])]] {
            var other = try ended(after: changes)
            _ = try other.apply(.override(.enRoute, reason: "it was not"), at: minutes(3))
            #expect(other.correctionsDue == nil, "no provider has a former value")
        }
    }

    @Test("A door code leaves the customer's request to the shop, and the requested address settles it")
    func decisions() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.requestAddress(Address(street: "Strandgade 2")), at: minutes(1))
        let code = DeliveryChange.correct(DropOffCorrection(texts: [.doorCode: "4712"]))
        #expect(try delivery.apply(code, at: minutes(2)))
        #expect(delivery.correctionsDue == [.decision])
        #expect(try delivery.apply(Self.moved, at: minutes(3)))
        #expect(delivery.correctionsDue == nil)
    }

    @Test("A request waits for the shop, and an end closes what waits")
    func requests() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.requestAddress(Address(street: "Strandgade 2")), at: minutes(1))
        #expect(delivery.correctionsDue == [.decision] && delivery.correction == nil)
        _ = try delivery.apply(Self.note, at: minutes(2))
        #expect(delivery.correctionsDue == [.decision], "a note decides nothing")
        var confirmed = delivery
        _ = try confirmed.apply(Self.moved, at: minutes(3))
        #expect(confirmed.correctionsDue == nil && confirmed.door == Self.elsewhere)
        _ = try delivery.apply(.status(.cancelled, reason: nil), at: minutes(3))
        #expect(delivery.correctionsDue == nil)
    }

    @Test("Further items are pending and open a packed bag; an id is there once")
    func items() throws {
        var delivery = try delivery(in: .preparing(.picking, .assigned))
        #expect(try delivery.apply(.addItems([Self.bread]), at: minutes(1)))
        #expect(delivery.items.map(\.id) == [milk, eggs, Self.bread.id] && delivery.items[2].status == .pending)
        #expect(try !delivery.apply(.addItems([Self.bread]), at: minutes(2)), "it is there")
        for report in [ItemChange.removed, .refunded] {
            var without = delivery
            _ = try without.apply(.item(Self.bread.id, report), at: minutes(2))
            #expect(throws: ChangeRefusal.itemExists(Self.bread.id)) {
                try without.apply(.addItems([Self.bread]), at: minutes(3))
            }
        }
        #expect(throws: ChangeRefusal.itemExists(milk)) {
            try delivery.apply(
                .addItems([Item(id: milk, name: "Milk", quantity: 1, ifUnavailable: .ask)]), at: minutes(2))
        }
        let placed = placedDelivery()
        let store = Store(
            id: placed.store.id, name: placed.store.name, location: placed.store.location,
            timeZone: placed.store.timeZone, corrections: CorrectionLimits(itemsUntil: .pickedUp))
        var packed = try OrderDomainTests.delivery(in: .preparing(.staged, .atStore), of: store)
        #expect(try packed.apply(.addItems([Self.bread]), at: minutes(1)))
        #expect(packed.status == .preparing(.picking, .atStore))
    }

    @Test("Further items add to what is required at the door, and need no person where the goods are left there")
    func itemsWithProofs() throws {
        let wine = Item(id: itemID("wine"), name: "Wine", quantity: 1, ifUnavailable: .refund, requires: [.age])
        let camera = Item(id: itemID("camera"), name: "Camera", quantity: 1, ifUnavailable: .refund, requires: [.photo])
        var delivery = placedDelivery()
        var left = delivery
        #expect(try delivery.apply(.addItems([wine]), at: minutes(1)))
        #expect(delivery.requiredProofs == [.age])
        _ = try delivery.apply(.courier(anna), at: minutes(2))
        _ = try delivery.apply(.override(.atDoor, reason: "set up"), at: minutes(3))
        #expect(throws: ChangeRefusal.proofMissing([.age])) {
            try delivery.apply(.status(.delivered, reason: nil), at: minutes(4))
        }
        _ = try left.apply(.leaveAtDoor, at: minutes(1))
        #expect(throws: ChangeRefusal.personNeeded([.age])) {
            try left.apply(.addItems([camera, wine]), at: minutes(2))
        }
        #expect(try left.apply(.addItems([camera]), at: minutes(2)))
        #expect(left.requiredProofs == [.photo])
    }

    @Test("A change can be reverted but for the door, whose former position is kept nowhere")
    func reversals() throws {
        var delivery = try delivery(in: .preparing(.picking, .assigned))
        for change in [
            Self.note, .addItems([Self.bread]), .requestAddress(Address(street: "Strandgade 2")),
            .settleCorrection(.decision), .promise(promise(70, 100)),
        ] {
            let before = delivery
            #expect(try delivery.apply(change, at: minutes(1)))
            let reversal = DeliveryReversal(from: before, to: delivery)
            #expect(reversal(delivery) == before, "\(change)")
            let written = try WireJSON.encode(reversal)
            #expect(try WireJSON.decode(DeliveryReversal.self, from: written) == reversal)
        }
        let before = delivery
        _ = try delivery.apply(Self.moved, at: minutes(2))
        let reversal = DeliveryReversal(from: before, to: delivery)
        #expect(reversal(delivery).version == before.version && reversal(delivery).door == Self.elsewhere)
        let text = String(decoding: try WireJSON.encode(reversal), as: UTF8.self)
        #expect(!text.contains("latitude") && !text.contains("52.53"))
        #expect(try WireJSON.decode(Delivery.self, from: WireJSON.encode(delivery)) == delivery)
    }
}

import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing
import WireCoding

@Suite("What a card needs of a delivery")
struct SnapshotTests {
    let sample: Sample

    init() throws { sample = try Sample() }

    @Test("Codes are the domain's, in every status with every set of flags", arguments: DeliveryStatus.all)
    func codes(status: DeliveryStatus) throws {
        for bits in 0..<(1 << Flag.allCases.count) {
            let flags = Set(Flag.allCases.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element))
            let delivery = try sample.delivery(in: status, flags: flags)
            let snapshot = DeliverySnapshot(delivery, links: sample.links, silentSince: 1_795_280_000)
            #expect(snapshot.status.rawValue == status.code.rawValue)
            #expect(snapshot.courierStatus?.rawValue == status.courierStatus?.rawValue)
            let shown = status.isEnded ? flags.subtracting([.disputed]) : flags
            #expect(Set(snapshot.flags.map(\.rawValue)) == Set(shown.map(\.rawValue)))
            let step = ActivityStep.after(snapshot, arrival: nil, step: 0)
            #expect(step.isEnd == status.isEnded)
            #expect(step.content.phase.rawValue == delivery.phase.rawValue)
            #expect(step.content.flags == shown.map(\.rawValue).sorted())
            #expect(snapshot.courier?.silentSince == (flags.contains(.courierSilent) ? 1_795_280_000 : nil))
        }
    }

    @Test("Both libraries know the same codes")
    func sameCodes() {
        #expect(
            Set(DeliverySnapshot.Status.allCases.map(\.rawValue))
                == Set(DeliveryStatus.all.map(\.code.rawValue)))
        #expect(
            Set(DeliverySnapshot.CourierStatus.allCases.map(\.rawValue)) == Set(CourierStatus.allCases.map(\.rawValue)))
        #expect(DeliverySnapshot.Flag.allCases.map(\.rawValue) == Flag.allCases.map(\.rawValue))
    }

    @Test("Everything else is carried over in whole epoch seconds")
    func fields() throws {
        let snapshot = DeliverySnapshot(sample.delivery, links: sample.links)
        #expect(snapshot.activity == "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d-1" && snapshot.reference == "G-1042")
        #expect(snapshot.store == "Nordhavn" && snapshot.timeZone == "Europe/Copenhagen")
        #expect(snapshot.itemCount == 3 && snapshot.foundCount == 1 && snapshot.version == sample.delivery.version)
        #expect(snapshot.promise == Window(from: 1_795_281_300, to: 1_795_283_100))
        #expect(snapshot.statusSince == 1_795_280_400 && snapshot.pickingSince == 1_795_280_400)
        #expect(snapshot.endedAt == nil)
        #expect(snapshot.courier == LiveActivity.Courier(name: "Mira", vehicle: "bicycle", stopsBefore: 2))
        #expect(
            snapshot.proposal
                == .init(
                    id: "i-2-1", item: "Milk", substitute: "Oat milk", quantity: 1, answerUntil: 1_795_281_000))
    }

    @Test("An ended delivery is disputed while its dispute is open, and not once an operator has decided")
    func decidedEnd() throws {
        var delivery = sample.delivery
        func change(_ change: DeliveryChange) throws -> String? {
            let isChanged = try delivery.apply(change, at: sample.at + 60)
            #expect(isChanged, "\(change)")
            return ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: 0).content.detail?.code
        }
        let delivered = try change(.override(.delivered, reason: "set up"))
        let reopened = try change(.override(.enRoute, reason: "the wrong door"))
        #expect(reopened?.contains("marked_by_mistake") == true)
        #expect(delivery.flags.contains(.disputed))
        #expect(try change(.override(.delivered, reason: "it arrived")) == delivered)
        #expect(delivered?.contains("looked_into") == false)
        let missed = try change(.feedback(.missing, items: []))
        #expect(missed?.contains("looked_into") == true)
        #expect(try change(.override(.delivered, reason: "called")) == delivered)
        _ = try change(.dispute(reason: "the wrong door"))
        #expect(try change(.override(.failed, reason: "lost"))?.contains("looked_into") == false)
    }

    @Test("A hand-over by the courier's word has its own time as its end, and rings from its confirmation on")
    func confirmed() throws {
        let one = sample.delivery
        var delivery = Delivery(
            id: one.id, order: one.order, reference: one.reference, customer: one.customer, store: one.store,
            bag: one.bag, door: one.door, promise: one.promise, handoff: one.handoff, items: one.items,
            placedAt: one.placedAt, proof: DeliveryProof(required: [.photo]))
        let changes: [DeliveryChange] = [
            .courier(one.courier), .override(.atDoor, reason: "set up"), .handedOverUnconfirmed,
        ]
        for change in changes { _ = try delivery.apply(change, at: sample.at) }
        _ = try delivery.apply(.override(.delivered, reason: "a call"), at: sample.at + 1_200)
        let snapshot = DeliverySnapshot(delivery, links: [])
        #expect(snapshot.endedAt == 1_795_280_400 && snapshot.endKnownAt == 1_795_281_600)
        #expect(ActivityStep.after(snapshot, arrival: nil, step: 0).alert?.validUntil == 1_795_282_500)
    }

    @Test("A verb that cards do not know makes no button")
    func unknownVerb() {
        let snapshot = DeliverySnapshot(sample.delivery, links: sample.links)
        #expect(snapshot.links.map(\.verb) == [.details, .contactCourier])
    }

    @Test("A second proposal for the same item is another question")
    func proposals() throws {
        var delivery = sample.delivery
        let item = try #require(ItemID(rawValue: "i-2"))
        let other = Substitute(name: "Soy milk", quantity: 1, priceDifferenceMinorUnits: 0)
        _ = try delivery.apply(.item(item, .proposed(other, answerUntil: sample.at + 900)), at: sample.at)
        let ids = [sample.delivery, delivery].map { DeliverySnapshot($0, links: []).proposal?.id }
        #expect(ids == ["i-2-1", "i-2-2"])
    }
}

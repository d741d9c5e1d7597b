import Foundation
import OrderDomain
import Testing

@testable import Orders

@Suite("Presses for several stops at once")
struct StopGroupTests {
    private func stop(
        _ code: StatusCode, street: String? = nil, customer: CustomerID? = nil,
        verification: HandoffVerification = .none, proofs: Set<ProofKind> = [], then change: DeliveryChange? = nil
    ) throws -> CourierStop {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: customer ?? sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise,
            handoff: try #require(Handoff(method: .handToCustomer, verification: verification)), items: sample.items,
            placedAt: sample.placedAt, proof: proofs.isEmpty ? nil : DeliveryProof(required: proofs))
        try delivery.advance(to: code)
        if let change { try delivery.change(change) }
        let dropOff = street.flatMap { DropOff(recipient: nil, address: Address(street: $0), note: nil) }
        return CourierStop(record: DeliveryRecord(delivery: delivery, dropOff: dropOff), press: nil)
    }

    private func offered(_ stops: [CourierStop]) -> [StopGroup] { StopGroup.offered(for: stops, at: .now) }

    private func group(_ action: CourierAction, _ stops: [CourierStop], at place: String? = nil) -> StopGroup {
        StopGroup(action: action, deliveries: stops.map(\.delivery.id), place: place)
    }

    @Test("Packed bags of one store are picked up together")
    func pickup() throws {
        let (one, other, carried) = (try stop(.staged), try stop(.staged), try stop(.enRoute))
        let groups = offered([carried, one, other])
        #expect(groups.contains(group(.pickedUp, [one, other], at: "Nordhavn")))
        #expect(!groups.contains { $0.action == .atDoor || $0.action == .handedOver })
        #expect(offered([one]).isEmpty, "one bag has its own buttons")
        let picking = try stop(.picking)
        #expect(
            offered([picking, one, other]).filter { $0.action == .pickedUp } == [
                group(.pickedUp, [one, other], at: "Nordhavn")
            ])
        #expect(!offered([picking, one]).contains { $0.action == .pickedUp })
        let both = [picking, try stop(.picking)]
        #expect(offered(both).contains(group(.pickedUp, both, at: "Nordhavn")))
    }

    @Test("A bag with a question that waits for its customer is picked up by itself")
    func question() throws {
        let milk = try #require(try Delivery.sample().items.first)
        let oats = Substitute(name: "Oat milk", quantity: 1, priceDifferenceMinorUnits: 0)
        let promiseEnd = try Delivery.sample().promise.end
        let asked = try stop(.staged, then: .item(milk.id, .proposed(oats, answerUntil: promiseEnd)))
        let packed = [try stop(.staged), try stop(.staged)]
        #expect(CourierAction.pickedUp.isLegal(for: asked.delivery))
        #expect(
            offered([asked] + packed).filter { $0.action == .pickedUp } == [
                group(.pickedUp, packed, at: "Nordhavn")
            ])
        #expect(!StopGroup.allows(.pickedUp, for: asked.delivery))
    }

    @Test("Bags that another courier has still are fetched from them together, apart from those of a store")
    func fetched() throws {
        let next = Courier(
            id: try #require(CourierID(rawValue: "finn")), name: "Finn", vehicle: .bicycle, phone: nil)
        let (one, other) = (try stop(.enRoute, then: .courier(next)), try stop(.enRoute, then: .courier(next)))
        let carrier = try #require(one.delivery.fetchedFrom)
        let packed = [try stop(.staged), try stop(.staged)]
        #expect(
            offered([one, other] + packed).filter { $0.action == .pickedUp } == [
                group(.pickedUp, [one, other], at: carrier.name), group(.pickedUp, packed, at: "Nordhavn"),
            ])
    }

    @Test("Bags of one address are brought to the door and handed over together, those of others are not")
    func door() throws {
        let (one, other) = (try stop(.enRoute, street: "Århusgade 12"), try stop(.enRoute, street: "århusgade 12"))
        let groups = offered([one, try stop(.enRoute, street: "Strandvejen 1"), other])
        for action in [CourierAction.atDoor, .handedOver] {
            #expect(groups.filter { $0.action == action } == [group(action, [one, other], at: "Århusgade 12")])
        }
    }

    @Test("Bags of two customers at one address are handed over apart")
    func customers() throws {
        let other = CustomerID(rawValue: "jens")
        let bags = [
            try stop(.enRoute, street: "Århusgade 12"), try stop(.enRoute, street: "Århusgade 12", customer: other),
        ]
        #expect(!offered(bags).contains { $0.action == .atDoor || $0.action == .handedOver })
    }

    @Test("A bag with something to check at the door is handed over by itself")
    func checked() throws {
        let stops = [
            try stop(.atDoor, street: "Århusgade 12"), try stop(.atDoor, street: "Århusgade 12", verification: .pin),
        ]
        #expect(!offered(stops).contains { $0.action == .handedOver })
    }

    @Test("A vehicle that has broken down is reported for every stop, and withdrawn for those that it holds")
    func vehicle() throws {
        let broken = CourierAction.problem(.vehicle)
        let stops = [try stop(.staged), try stop(.enRoute), try stop(.atDoor)]
        #expect(offered(stops).contains(group(broken, stops)))
        let held = [try stop(.enRoute, then: broken.change), try stop(.atDoor, then: broken.change)]
        let shops = try stop(.enRoute, then: .hold(reason: "payment is checked"))
        #expect(offered(held + [shops]) == [group(.solved, held)])
    }

    @Test("What was handed over by the courier's word is in no broken vehicle, and is released from one that held it")
    func vehicleWithoutGoods() throws {
        let broken = CourierAction.problem(.vehicle)
        let given = try stop(.atDoor, proofs: [.photo], then: .handedOverUnconfirmed)
        let carried = [try stop(.staged), try stop(.enRoute)]
        #expect(offered([given] + carried).filter { $0.action == broken } == [group(broken, carried)])
        #expect(!StopGroup.allows(broken, for: given.delivery))
        #expect(CourierAction.problem(.damaged).isLegal(for: given.delivery))
        var heldByFormerVersion = given.delivery
        try heldByFormerVersion.change(broken.change)
        let held = [
            CourierStop(record: DeliveryRecord(delivery: heldByFormerVersion), press: nil),
            try stop(.enRoute, then: broken.change),
        ]
        #expect(offered(held) == [group(.solved, held)])
    }
}

import Foundation
import LiveActivity
import OrderDomain
import Testing

@testable import Orders

@Suite("A courier's stops")
struct CourierStopTests {
    private func stop(
        _ code: StatusCode, stopsBefore: Int = 0, press: CourierAction? = nil
    ) throws -> CourierStop {
        var delivery = try Delivery.sample()
        try delivery.advance(to: code == .returning ? .atDoor : code)
        if code == .returning { try delivery.change(.status(.returning, reason: nil)) }
        if stopsBefore > 0 { try delivery.change(.stopsBefore(stopsBefore)) }
        let now = delivery.statusSince
        return CourierStop(
            record: DeliveryRecord(delivery: delivery),
            press: press.map {
                CourierPress(
                    id: UUID(), courier: Delivery.mira.id, delivery: delivery.id, action: $0, state: .waiting,
                    pressedAt: now, dueAt: now)
            })
    }

    @Test("What is carried comes first, stop by stop; then what is to be fetched, and what goes back")
    func order() throws {
        let stops = [
            try stop(.returning), try stop(.staged), try stop(.enRoute, stopsBefore: 2), try stop(.enRoute),
            try stop(.enRoute, stopsBefore: 1),
        ]
        let ordered = CourierStop.inOrder(stops.shuffled()).map(\.delivery.id)
        #expect(ordered == [3, 4, 2, 1, 0].map { stops[$0].delivery.id })
    }

    @Test("The bags of one door are one stop and stay together, those of other customers are not")
    func bags() throws {
        func bag(
            _ stopsBefore: Int, street: String, customer: String = "mette", id: DeliveryID? = nil, number: Int = 1
        ) throws -> CourierStop {
            let sample = try Delivery.sample()
            var delivery = Delivery(
                id: id ?? sample.id, order: sample.order, reference: sample.reference,
                customer: try #require(CustomerID(rawValue: customer)), store: sample.store,
                bag: Bag(number: number, count: 3),
                door: sample.door, promise: sample.promise, handoff: sample.handoff, items: sample.items,
                placedAt: sample.placedAt)
            try delivery.advance(to: .enRoute)
            if stopsBefore > 0 { try delivery.change(.stopsBefore(stopsBefore)) }
            let dropOff = DropOff(recipient: nil, address: Address(street: street), note: nil)
            return CourierStop(record: DeliveryRecord(delivery: delivery, dropOff: dropOff), press: nil)
        }
        let stops = [
            try bag(0, street: "Vibevej 3"), try bag(1, street: "Århusgade 12"),
            try bag(2, street: "Århusgade 12", customer: "jens"), try bag(3, street: "århusgade 12"),
        ]
        let ordered = CourierStop.inOrder(stops.reversed())
        #expect(ordered.map(\.delivery.id) == [0, 1, 3, 2].map { stops[$0].delivery.id })
        #expect(CourierStop.numbers(of: ordered) == [1, 2, 2, 3])
        #expect(CourierStop.numbers(of: []) == [])
        let numbered = try (1...3).map { number in
            let id = try #require(DeliveryID(rawValue: "00000000-0000-4000-8000-00000000000\(9 - number)"))
            return try bag(0, street: "Vibevej 3", id: id, number: number)
        }
        #expect(CourierStop.inOrder(numbered.reversed()).map(\.delivery.bag.number) == [1, 2, 3])
    }

    @Test("Bags that go back to one store are one stop, whichever door they come from")
    func returns() throws {
        let sample = try stop(.returning)
        let other = CourierStop(
            record: DeliveryRecord(
                delivery: try stop(.returning).delivery,
                dropOff: DropOff(recipient: nil, address: Address(street: "Vibevej 3"), note: nil)), press: nil)
        #expect(sample.door != other.door)
        #expect(CourierStop.numbers(of: CourierStop.inOrder([sample, other])) == [1, 1])
    }

    @Test("What is to be fetched follows the places that are set")
    func toFetch() throws {
        let stops = [try stop(.staged, stopsBefore: 2), try stop(.staged), try stop(.staged, stopsBefore: 1)]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let ordered = CourierStop.inOrder(order.map { stops[$0] }).map(\.delivery.id)
            #expect(ordered == [1, 2, 0].map { stops[$0].delivery.id })
        }
    }

    @Test("The one button of what another courier still has says that it was fetched")
    func fetched() throws {
        var delivery = try stop(.enRoute).delivery
        let finn = Courier(id: try #require(CourierID(rawValue: "finn")), name: "Finn", vehicle: .bicycle, phone: nil)
        try delivery.change(.courier(finn))
        #expect(CourierAction.legal(for: delivery) == [.pickedUp])
        #expect(Words(locale: "en").status(delivery) == "With Mira: fetch it")
        try delivery.change(CourierAction.pickedUp.change)
        #expect(CourierAction.legal(for: delivery) == [.atDoor, .handedOver])
        #expect(Words(locale: "en").status(delivery) == "With you")
    }

    @Test("The buttons of a stop are those behind what was pressed and waits")
    func expected() throws {
        let pressed = try stop(.enRoute, press: .atDoor)
        #expect(pressed.expected(at: .now).status == .handedOver(.atDoor))
        #expect(pressed.delivery.status == .handedOver(.enRoute))
        // The delivery went on meanwhile: nothing more is expected of the press.
        let stale = try stop(.atDoor, press: .atDoor)
        #expect(stale.expected(at: .now) == stale.delivery)
    }
}

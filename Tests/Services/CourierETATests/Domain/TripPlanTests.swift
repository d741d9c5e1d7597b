import Foundation
import OrderDomain
import Testing

@testable import CourierETA

@Suite("The order of a courier's stops with added deliveries")
struct TripPlanTests {
    /// Noah's own two, the second one first.
    private func own() throws -> [Delivery] {
        var own = try [0.1, 0.15].map { try Delivery.sample(in: .enRoute, door: along($0)) }
        try own[0].change(.courier(noah, stopsBefore: 1), at: 1)
        try own[1].change(.courier(noah), at: 1)
        for index in own.indices { try own[index].change(.status(.pickedUp, reason: nil), at: 1) }
        return own
    }

    @Test("The courier's own stops keep their order, the added ones follow from where the goods are, the nearest next")
    func nearestNext() throws {
        let own = try own()
        let added = try [0.9, 0.3, 0.6].map { try Delivery.sample(in: .enRoute, door: along($0)) }
        let plan = try TripPlan(
            adding: added, to: noah, with: own, places: [mira.id: along(0.2)], at: seconds(10))
        #expect(plan.stops.map(\.id) == [own[1].id, own[0].id, added[1].id, added[2].id, added[0].id])
        #expect(plan.stops.map(\.stopsBefore) == [0, 1, 2, 3, 4])
        #expect(plan.stops.allSatisfy { $0.courier == noah })
        #expect(plan.stops.map { $0.fetchedFrom?.id } == [nil, nil, mira.id, mira.id, mira.id])
        let back = try TripPlan(
            adding: added, to: noah, with: own, places: [mira.id: along(1)], at: seconds(10))
        #expect(back.stops.suffix(3).map(\.id) == [added[0].id, added[2].id, added[1].id])
    }

    @Test("Bags of one door are one stop, also where another stop was between them")
    func bagsOfOneDoor() throws {
        let added = try [0.5, 0.5, 0.9].map { try Delivery.sample(in: .enRoute, door: along($0)) }
        let plan = try TripPlan(
            adding: added, to: noah, with: [], places: [mira.id: along(0.2)], at: seconds(10))
        #expect(plan.stops.map(\.stopsBefore) == [0, 0, 1] && plan.stops.last?.id == added[2].id)
        var own = try own()
        own.append(try Delivery.sample(in: .enRoute, door: own[1].door))
        try own[2].change(.courier(noah, stopsBefore: 2), at: 1)
        try own[2].change(.status(.pickedUp, reason: nil), at: 1)
        let kept = try TripPlan(adding: [], to: noah, with: own, places: [:], at: seconds(10))
        #expect(kept.stops.map(\.id) == [own[1].id, own[2].id, own[0].id])
        #expect(kept.stops.map(\.stopsBefore) == [0, 0, 1])
    }

    @Test("The bags of one order follow each other by their numbers, whatever their ids are")
    func bagNumbers() throws {
        let sample = try Delivery.sample()
        let bags = try (1...3).map { number in
            var delivery = Delivery(
                id: try #require(DeliveryID(rawValue: "00000000-0000-4000-8000-00000000000\(9 - number)")),
                order: sample.order, reference: sample.reference, customer: sample.customer, store: sample.store,
                bag: Bag(number: number, count: 3), door: sample.door, promise: sample.promise,
                handoff: sample.handoff, items: sample.items, placedAt: sample.placedAt)
            try delivery.change(.courier(mira), at: 0)
            try delivery.change(.override(.pickedUp, reason: "test"), at: 0)
            return delivery
        }
        let plan = try TripPlan(adding: bags, to: noah, with: [], places: [:], at: seconds(10))
        #expect(plan.stops.map(\.bag.number) == [1, 2, 3])
    }

    @Test("Bags for a door on the trip that another courier still has, or the store, are a stop of their own")
    func bagsToFetch() throws {
        let own = try own()
        let added = [
            try Delivery.sample(in: .assigned, door: own[1].door), try Delivery.sample(in: .enRoute, door: own[1].door),
        ]
        let plan = try TripPlan(adding: added, to: noah, with: own, places: [:], at: seconds(10))
        #expect(plan.stops.map(\.id) == [own[1].id, own[0].id, added[1].id, added[0].id])
        #expect(plan.stops.map(\.stopsBefore) == [0, 1, 2, 3])
    }

    @Test("What is in the store is fetched after what is carried")
    func inStore() throws {
        let added = [try Delivery.sample(in: .assigned), try Delivery.sample(in: .enRoute)]
        let plan = try TripPlan(adding: added, to: noah, with: [], places: [:], at: seconds(10))
        #expect(plan.stops.map(\.id) == [added[1].id, added[0].id])
        #expect(plan.stops.map { $0.fetchedFrom?.id } == [mira.id, nil])
    }

    @Test(
        "A delivery that its courier left undone keeps its number, and is before no other",
        arguments: [
            DeliveryChange.override(.attempted, reason: "nobody opened"),
            .hold(reason: CourierProblem.noAccess.reason),
        ])
    func leftUndone(change: DeliveryChange) throws {
        var own = try [(0.05, 0), (0.1, 0), (0.15, 1)].map { door, stops in
            var delivery = try Delivery.sample(in: .enRoute, door: along(door))
            try delivery.change(.courier(noah, stopsBefore: stops), at: 1)
            try delivery.change(.status(.pickedUp, reason: nil), at: 1)
            return delivery
        }
        try own[0].change(change, at: 2)
        let added = try Delivery.sample(in: .enRoute, door: along(0.6))
        let plan = try TripPlan(
            adding: [added], to: noah, with: own, places: [mira.id: along(0.2)], at: seconds(10))
        let numbers = try (own + [added]).map { delivery in
            try #require(plan.stops.first { $0.id == delivery.id }).stopsBefore
        }
        #expect(numbers == [0, 0, 1, 2] && plan.stops.contains(own[0]))
        let moved = try TripPlan(adding: [own[0], added], to: mira, with: [], places: [:], at: seconds(10))
        let isAttempt = own[0].status == .handedOver(.attempted)
        #expect(moved.stops.map(\.stopsBefore).max() == (isAttempt ? 0 : 1), "another courier goes to the door")
    }

    @Test("A delivery that its courier left undone gives its place to no other bag of its door")
    func leftBag() throws {
        var own = try [(0.05, 0), (0.1, 1), (0.05, 2)].map { door, stops in
            var delivery = try Delivery.sample(in: .enRoute, door: along(door))
            try delivery.change(.courier(noah, stopsBefore: stops), at: 1)
            try delivery.change(.status(.pickedUp, reason: nil), at: 1)
            return delivery
        }
        try own[0].change(.hold(reason: CourierProblem.noAccess.reason), at: 2)
        let plan = try TripPlan(adding: [], to: noah, with: own, places: [:], at: seconds(10))
        #expect(plan.stops.map(\.id) == own.map(\.id) && plan.stops.map(\.stopsBefore) == [0, 0, 1])
    }

    @Test("A delivery that has ended gets no other courier")
    func ended() throws {
        #expect(throws: ChangeRefusal.self) {
            try TripPlan(
                adding: [try Delivery.sample(in: .delivered)], to: noah, with: [], places: [:], at: seconds(10))
        }
    }
}

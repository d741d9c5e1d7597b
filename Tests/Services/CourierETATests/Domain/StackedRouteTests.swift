import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Several stops")
struct StackedRouteTests {
    /// A door on the way, 0.9 km before the other.
    private let firstDoor = along(0.7)

    /// The delivery that comes first, and the one after it.
    private func trip() throws -> (first: Delivery, second: Delivery) {
        var first = try Delivery.sample(in: .enRoute, customer: "ole")
        first = try Delivery.sample(like: first, door: firstDoor)
        var second = try Delivery.sample(in: .enRoute)
        try second.change(.stopsBefore(1), at: 1)
        return (first, second)
    }

    /// Rides to the first door and stands there, a fix every 15 s.
    private func standing(for seconds: Double) -> [Fix] {
        CourierETATests.ride(from: 10, until: 0.7)
            + stride(from: 15, through: seconds, by: 15).map {
                Fix(time: CourierETATests.seconds(640 + $0), place: firstDoor, accuracy: 10, speed: 0)
            }
    }

    @Test(
        "Standing at another customer's door is no unexpected stop, however long, and the second arrival hardly moves")
    func standingIsNoAlarm() throws {
        let (first, second) = try trip()
        let tracker = DeliveryTracker()
        var tracked = tracker.begin(second.changed(at: 1), after: nil)
        var milestones: [Milestone] = []
        var arrivals: [Double] = []
        let fixes = standing(for: 240)
        for count in fixes.indices {
            let now = fixes[count].time
            milestones +=
                tracker.update(
                    &tracked, track: track(of: Array(fixes[...count])), carried: [first, second], now: now
                ).milestones
            // From the arrival at the first door to the usual end of the dwell there.
            if (0...DwellTimes.builtIn.doorSeconds).contains(now.timeIntervalSince(seconds(655))) {
                arrivals.append(try #require(tracked.tracking.estimate).arrivesAt.timeIntervalSince(start))
            }
        }
        #expect(milestones.isEmpty)
        #expect(arrivals.count > 5)
        #expect((arrivals.max() ?? 0) - (arrivals.min() ?? 0) < 60, "\(arrivals)")
    }

    @Test("Bags that a customer gets at one door are one stop of those behind them, and none before another of them")
    func bagsOfOneDoor() throws {
        let (first, second) = try trip()
        var bag = try Delivery.sample(in: .enRoute, customer: "ole", door: firstDoor)
        func stops(of delivery: Delivery) throws -> [Coordinate] {
            let carried = [first, bag, second]
            return try #require(
                Route(delivery, carried: carried, track: CourierTrack(), dwell: .builtIn)
            ).stops.map(\.place)
        }
        #expect(try stops(of: second) == [firstDoor, doorPlace])
        try bag.change(.stopsBefore(2), at: 2)
        #expect(try stops(of: bag) == [firstDoor])
    }

    @Test("A door that the courier is at stays the next stop of the delivery behind it, whose arrivals are the same")
    func atDoor() throws {
        let trip = try trip()
        var there = trip.first
        try there.change(.milestone(.atDoor, assignmentEpoch: 1), at: 655)
        #expect(there.status == .handedOver(.atDoor))
        let tracker = DeliveryTracker()
        /// Arrivals of the second delivery, where the first one is `first` from the arrival at its door on.
        func arrivals(behind first: Delivery) throws -> [Date] {
            var tracked = tracker.begin(trip.second.changed(at: 1), after: nil)
            let fixes = standing(for: 240)
            return try fixes.indices.map { count in
                let now = fixes[count].time
                let carried = [now < seconds(655) ? trip.first : first, trip.second]
                _ = tracker.update(&tracked, track: track(of: Array(fixes[...count])), carried: carried, now: now)
                return try #require(tracked.tracking.estimate).arrivesAt
            }
        }
        let reported = try arrivals(behind: there)
        #expect(try reported == arrivals(behind: trip.first))
    }

    @Test("What is left of the dwell at a door counts until a fix or an attempt shows that the courier leaves it")
    func left() throws {
        let trip = try trip()
        var first = trip.first
        func stops(_ fixes: [Fix]) throws -> [Route.Stop] {
            let carried = [first, trip.second]
            return try #require(Route(trip.second, carried: carried, track: track(of: fixes), dwell: .builtIn)).stops
        }
        let gone = [735.0, 750].map { time in
            Fix(time: seconds(time), place: along(time == 735 ? 0.75 : 0.77), accuracy: 10, speed: 3)
        }
        let drift = Fix(time: seconds(735), place: along(0.73), accuracy: 150, speed: 0)
        try first.change(.override(.atDoor, reason: "test"), at: 655)
        #expect(try stops(standing(for: 60)).map(\.place) == [firstDoor, doorPlace])
        #expect(try stops(standing(for: 60) + gone).map(\.place) == [doorPlace])
        #expect(try stops(standing(for: 60) + [gone[0]]).map(\.place) == [firstDoor, doorPlace], "it may be off")
        let adrift = try stops(standing(for: 60) + [drift])
        #expect(adrift.map(\.place) == [firstDoor, doorPlace])
        #expect(adrift[0].dwellSeconds == max(0, DwellTimes.builtIn.doorSeconds - 80))
        #expect(try stops(standing(for: 600))[0].dwellSeconds == 0)
        try first.change(.override(.attempted, reason: "test"), at: 656)
        #expect(try stops(standing(for: 60)).map(\.place) == [doorPlace])
    }

    @Test("A door that the courier left for a reported problem is no stop of the others; one that the shop holds is")
    func leftForProblem() throws {
        for (reason, isStop) in [(CourierProblem.addressNotFound.reason, false), ("fraud check", true)] {
            let trip = try trip()
            var first = trip.first
            try first.change(.hold(reason: reason), at: 2)
            let route = try #require(
                Route(trip.second, carried: [first, trip.second], track: CourierTrack(), dwell: .builtIn))
            #expect(route.stops.map(\.place) == (isStop ? [firstDoor, doorPlace] : [doorPlace]))
        }
    }

    @Test("Time spent at the next stop is subtracted from its dwell time; elsewhere the whole dwell is to come")
    func rest() throws {
        let (first, second) = try trip()
        let dwell = DwellTimes.builtIn
        func remaining(_ fixes: [Fix]) throws -> Double {
            let route = try #require(
                Route(second, carried: [first, second], track: track(of: fixes), dwell: dwell))
            return route.stops[0].dwellSeconds
        }
        #expect(try remaining(CourierETATests.ride(from: 10, until: 0.5)) == dwell.doorSeconds)
        #expect(try remaining(standing(for: 60)) < dwell.doorSeconds - 50)
        #expect(try remaining(standing(for: 600)) == 0)
    }

    @Test("Waiting for another courier's goods is no unexpected stop of the bags that the courier has")
    func waitingForGoods() throws {
        let own = try trip().first
        let place = along(0.3)
        let fixes = (0...40).map { Fix(time: seconds(Double($0) * 10), place: place, accuracy: 10, speed: 0) }
        let other = try Delivery.sample(in: .enRoute, customer: "nina").id
        func milestones(_ handOver: HandOver?) throws -> [Milestone] {
            var tracked = DeliveryTracker().begin(own.changed(at: 0), after: nil)
            return DeliveryTracker().update(
                &tracked, track: track(of: fixes), carried: [own], handOvers: handOver.map { [other: $0] } ?? [:],
                now: seconds(400)
            ).milestones
        }
        #expect(try milestones(nil).contains(.standing))
        #expect(try !milestones(HandOver(place: place, since: seconds(-600))).contains(.standing))
        #expect(try !milestones(HandOver(since: seconds(390))).contains(.standing), "fetched ten seconds ago")
    }

    @Test("Goods of another courier are fetched before the first door that they are for, and no door is near before")
    func fetched() throws {
        let (own, first) = try trip()
        var moved = [first, try Delivery.sample(in: .enRoute, customer: "nina")]
        for index in moved.indices { try moved[index].change(.courier(noah, stopsBefore: index + 1), at: 2) }
        var last = try Delivery.sample(in: .enRoute, customer: "ida")
        try last.change(.stopsBefore(3), at: 2)
        let carrier = along(0.2)
        let handOvers = Dictionary(
            uniqueKeysWithValues: moved.map { ($0.id, HandOver(place: carrier, since: seconds(7_000))) })
        let doors = try (moved + [last]).map { delivery in
            try #require(
                Route(
                    delivery, carried: [own] + moved, track: CourierTrack(), dwell: .builtIn, handOvers: handOvers)
            ).stops.map(\.place)
        }
        let onWay = [firstDoor, carrier, doorPlace, doorPlace]
        #expect(doors == [Array(onWay.dropLast()), onWay, onWay + [doorPlace]])
        let inStore = try #require(
            UpcomingDelivery(
                try .sample(in: .assigned), live: [own] + moved, utcOffset: 0, dwell: .builtIn, handOvers: handOvers
            ))
        #expect(inStore.carriedStops == onWay)
        #expect(inStore.carriedSince == seconds(7_000), "the pickup, two hours ago, was the other courier's")

        try moved[0].change(.stopsBefore(0), at: 3)
        var tracked = DeliveryTracker().begin(moved[0].changed(at: 3), after: nil)
        let there = track(of: [Fix(time: seconds(30), place: doorPlace, accuracy: 10, speed: 0)])
        let update = DeliveryTracker().update(&tracked, track: there, carried: [moved[0]], now: seconds(30))
        #expect(!update.milestones.contains(.arriving) && !update.milestones.contains(.atDoor))

        try moved[0].change(.status(.pickedUp, reason: nil), at: 40)
        let fetched = DeliveryTracker().begin(moved[0].changed(at: 40), after: tracked)
        #expect(fetched.tracking.legStartedAt == seconds(40), "the leg to the door begins with the goods")
        #expect(tracked.handOver == HandOver(since: seconds(3)) && fetched.handOver == HandOver(since: seconds(40)))
    }

    @Test("A bag in the store comes after the bags that are fetched with it for the doors before its own")
    func inStore() throws {
        var load = try [0.3, 0.6, 0.9].map { try Delivery.sample(in: .assigned, door: along($0)) }
        for index in load.indices { try load[index].change(.stopsBefore(index), at: 1) }
        let there = track(of: [Fix(time: seconds(10), place: storePlace, accuracy: 10, speed: 0)])
        for (index, delivery) in load.enumerated() {
            let route = try #require(Route(delivery, carried: load, track: there, dwell: .builtIn))
            #expect(route.stops.map(\.place) == [storePlace] + load[...index].map(\.door))
        }
    }

    @Test("A learned dwell time is what a stop before costs")
    func learnedDwell() throws {
        let (first, second) = try trip()
        let long = DwellTimes.fit((0..<2_000).map { _ in Dwell(.door, seconds: 400) })
        let way = track(of: CourierETATests.ride(from: 10, until: 0.3))
        let route = try #require(Route(second, carried: [first, second], track: way, dwell: long))
        #expect(route.stops.count == 2 && route.stops[0].dwellSeconds == long.doorSeconds)
        let ahead = try #require(
            Route(try .sample(in: .assigned), carried: [], track: CourierTrack(), dwell: .fit(Self.slowStore)))
        #expect(ahead.stops[0].dwellSeconds > 500)
    }

    /// Ten minutes at the store of the samples, four at the others.
    private static let slowStore = (0..<200).flatMap { _ in
        [Dwell(.store, store: "nordhavn", seconds: 600), Dwell(.store, store: "other", seconds: 240)]
    }
}

extension Delivery {
    /// The same at another door.
    fileprivate static func sample(like delivery: Delivery, door: Coordinate) throws -> Delivery {
        var data = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(delivery)) as? [String: Any])
        data["door"] = ["latitude": door.latitude, "longitude": door.longitude]
        return try JSONDecoder().decode(Delivery.self, from: try JSONSerialization.data(withJSONObject: data))
    }
}

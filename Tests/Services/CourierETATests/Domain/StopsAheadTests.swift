import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Stops ahead without a position")
struct StopsAheadTests {
    /// Bags of one courier for as many customers, promised a minute apart, in this status.
    private func load(_ count: Int, in code: StatusCode) throws -> [Delivery] {
        try (0..<count).map { index in
            var delivery = try Delivery.sample(in: code, customer: "customer-\(index)")
            let end = 3_600 + 60 * Double(index)
            try delivery.change(
                .promise(try #require(Promise(start: seconds(1_800), end: seconds(end)))), at: 0)
            return delivery
        }
    }

    private func arrivals(_ load: [Delivery]) throws -> [Date] {
        let tracker = DeliveryTracker()
        return try load.map { delivery in
            var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
            _ = tracker.update(&tracked, track: CourierTrack(), carried: load, now: start)
            return try #require(tracked.tracking.estimate).arrivesAt
        }
    }

    @Test("Twelve bags on one bicycle arrive one after the other, in the order of their promises")
    func twelve() throws {
        for code in [StatusCode.assigned, .pickedUp] {
            let arrivals = try arrivals(try load(12, in: code))
            for (one, next) in zip(arrivals, arrivals.dropFirst()) {
                #expect(next.timeIntervalSince(one) >= DwellTimes.builtIn.doorSeconds)
            }
        }
    }

    @Test("The stops before decide over the promise")
    func trip() throws {
        var load = try load(2, in: .pickedUp)
        try load[0].change(.stopsBefore(1), at: 0)
        #expect(StopsAhead(of: load[0], among: load).carried.map(\.id) == [load[1].id])
        #expect(StopsAhead(of: load[1], among: load).carried.isEmpty)
        let arrivals = try arrivals(load)
        #expect(arrivals[1] < arrivals[0])
    }

    @Test("A door that is done makes no arrival behind it later: the courier left the store at the pickup")
    func doorDone() throws {
        let first = try Delivery.sample(in: .pickedUp, customer: "ole", door: along(0.9))
        var last = try Delivery.sample(in: .pickedUp)
        try last.change(.stopsBefore(1), at: 0)
        let tracker = DeliveryTracker()
        var tracked = tracker.begin(last.changed(at: 0), after: nil)
        _ = tracker.update(&tracked, track: CourierTrack(), carried: [first, last], now: start)
        let before = try #require(tracked.tracking.estimate)
        try last.change(.stopsBefore(0), at: 600)
        tracked = tracker.begin(last.changed(at: 600), after: tracked)
        _ = tracker.update(&tracked, track: CourierTrack(), carried: [last], now: seconds(600))
        let after = try #require(tracked.tracking.estimate)
        #expect(after.madeAt == seconds(600) && after.arrivesAt <= before.arrivesAt)

        // Another attempt begins at a place that nothing is known of.
        for code in [StatusCode.attempted, .enRoute] {
            try last.change(.override(code, reason: "test"), at: 700)
            tracked = tracker.begin(last.changed(at: 700), after: tracked)
        }
        #expect(tracked.tracking.wayStartedAt == nil && tracked.tracking.legStartedAt == seconds(700))
    }

    @Test("Bags that a customer gets at one door have one arrival, and delay what is behind them by one dwell")
    func bagsOfOneDoor() throws {
        for code in [StatusCode.assigned, .pickedUp] {
            let bags = try (0..<3).map { _ in try Delivery.sample(in: code, customer: "ole", door: along(0.9)) }
            var last = try Delivery.sample(in: code)
            try last.change(.stopsBefore(1), at: 0)
            let one = try arrivals([bags[0], last])
            let three = try arrivals(bags + [last])
            #expect(three == [one[0], one[0], one[0], one[1]])
        }
    }

    @Test("A bag in the store comes after what the courier carries, and an ended delivery counts no more")
    func carriedFirst() throws {
        let carried = try load(2, in: .enRoute)
        let fetched = try load(2, in: .assigned)
        let ended = try Delivery.sample(in: .delivered)
        let stops = StopsAhead(of: fetched[1], among: carried + fetched + [ended])
        #expect(stops.carried.map(\.id) == carried.map(\.id) && stops.fetched.map(\.id) == [fetched[0].id])
        #expect(StopsAhead(of: carried[1], among: carried + fetched).fetched.isEmpty)
    }

    @Test("Of a trip with more stops than are kept, each update keeps the same")
    func manyStops() throws {
        let load = try (0..<40).map { try Delivery.sample(in: .enRoute, door: along(Double($0) / 100)) }
        var tracking = DeliveryTracker().begin(load[0].changed(at: 0), after: nil).tracking
        tracking.recordStops(of: load, besides: load[0].id)
        let kept = tracking.otherStops
        #expect(kept?.count == TrackingState.otherStopsMax)
        tracking.recordStops(of: load, besides: load[0].id)
        #expect(tracking.otherStops == kept)
    }

    @Test(
        "Whatever the ids and the stores, the next doors of a long trip are kept, and the one that was left last",
        arguments: [false, true])
    func nextDoors(hasOwnStores: Bool) throws {
        // By their ids the first doors of the trip come last.
        let ids = (0..<40).map { _ in DeliveryID(UUID()) }.sorted(by: >)
        let tracker = DeliveryTracker()
        var tracked: [TrackedDelivery] = []
        for (index, id) in ids.enumerated() {
            let share = Double(index + 1) / 50
            var delivery = try Delivery.sample(
                id: id, storeLocation: hasOwnStores ? along(-share) : storePlace, door: along(share))
            try delivery.change(.courier(mira), at: 0)
            try delivery.change(.override(.pickedUp, reason: "test"), at: 0)
            if index > 0 { try delivery.change(.stopsBefore(index), at: 0) }
            tracked.append(tracker.begin(delivery.changed(at: 0), after: nil))
        }
        let first = tracked[0].delivery
        for carried in [tracked.reversed().inTripOrder, tracked.dropFirst().reversed().inTripOrder] {
            for index in tracked.indices.dropFirst() {
                _ = tracker.update(&tracked[index], track: CourierTrack(), carried: carried, now: start)
                let kept = try #require(tracked[index].tracking.otherStops)
                #expect(kept.count == TrackingState.otherStopsMax && kept.contains(first.door))
            }
        }
    }

    @Test("Bags that a customer gets at one door wait for the later of their promises")
    func promisesAtOneDoor() throws {
        for starts in [[2_400.0, 1_800], [1_800, 2_400]] {
            let bags = try starts.enumerated().map { index, from in
                var bag = try Delivery.sample(in: .assigned, customer: "ole", door: along(0.9))
                let end = 3_600 + 60 * Double(index)
                try bag.change(.promise(try #require(Promise(start: seconds(from), end: seconds(end)))), at: 0)
                return bag
            }
            var last = try Delivery.sample(in: .assigned)
            try last.change(.stopsBefore(1), at: 0)
            let upcoming = try #require(
                UpcomingDelivery(last, live: bags + [last], utcOffset: 0, dwell: .builtIn, handOvers: [:]))
            #expect(upcoming.earlierDoors == [EarlierDoor(place: along(0.9), promiseStart: seconds(2_400))])
        }
    }

    /// A door so many kilometres north of the store.
    private func north(_ kilometres: Double) throws -> Coordinate {
        try #require(
            Coordinate(latitude: storePlace.latitude + kilometres / 111.2, longitude: storePlace.longitude))
    }

    /// Leaves a door 1.2 km north of the store, without a position, for one as far south of it.
    ///
    /// - Returns: the delivery that was left, the next one as it is tracked then, and its estimate of before.
    private func leaveDoor(
        stopsBefore: Int = 1, by change: DeliveryChange = .status(.delivered, reason: nil), proof: DeliveryProof? = nil
    ) throws -> (first: Delivery, last: Delivery, tracked: TrackedDelivery, before: Estimate) {
        var first = try Delivery.sample(in: .pickedUp, customer: "ole", door: north(1.2), proof: proof)
        var last = try Delivery.sample(in: .pickedUp, door: north(-1.2))
        try last.change(.promise(try #require(Promise(start: seconds(1_800), end: seconds(3_660)))), at: 0)
        if stopsBefore > 0 { try last.change(.stopsBefore(stopsBefore), at: 0) }
        let tracker = DeliveryTracker()
        var tracked = tracker.begin(last.changed(at: 0), after: nil)
        tracked.tracking.hasEnrolledPhone = false
        _ = tracker.update(&tracked, track: CourierTrack(), carried: [first, last], now: start)
        let before = try #require(tracked.tracking.estimate)

        try first.change(change, at: 670)
        if stopsBefore > 0 {
            try last.change(.stopsBefore(0), at: 675)
            tracked = tracker.begin(last.changed(at: 675), after: tracked)
        }
        #expect(tracked.stopsGone(among: [first, last]) == [first.id])
        tracked.beginWay(atDoorOf: [tracker.begin(first.changed(at: 670), after: nil)])
        _ = tracker.update(&tracked, track: CourierTrack(), carried: [first, last], now: seconds(675))
        return (first, last, tracked, before)
    }

    @Test(
        "Behind a door that is done, or whose age check was refused, the arrival counts from there, also the other way",
        arguments: [1, 0], [false, true])
    func otherWay(stopsBefore: Int, isAgeRefused: Bool) throws {
        let trip = try leaveDoor(
            stopsBefore: stopsBefore, by: isAgeRefused ? .age(isPassed: false) : .status(.delivered, reason: nil),
            proof: isAgeRefused ? DeliveryProof(required: [.age]) : nil)
        var (last, tracked) = (trip.last, trip.tracked)
        let after = try #require(tracked.tracking.estimate)
        #expect(after.madeAt == seconds(675))
        #expect(abs(after.arrivesAt.timeIntervalSince(trip.before.arrivesAt)) < 120)
        #expect(tracked.tracking.wayOrigin == trip.first.door && tracked.tracking.wayStartedAt == seconds(670))

        // A further attempt is another way.
        try last.change(.override(.attempted, reason: "test"), at: 1_700)
        tracked = DeliveryTracker().begin(last.changed(at: 1_700), after: tracked)
        #expect(tracked.tracking.wayOrigin == nil)
    }

    @Test("After a correction of the next door the arrival still counts from the door that the courier left last")
    func correctedDoor() throws {
        let trip = try leaveDoor()
        var (last, tracked) = (trip.last, trip.tracked)
        let before = try #require(tracked.tracking.estimate)
        let tracker = DeliveryTracker()
        try last.change(.correct(DropOffCorrection(door: north(-1.25))), at: 790)
        tracked = tracker.begin(last.changed(at: 790), after: tracked)
        _ = tracker.update(&tracked, track: CourierTrack(), carried: [last], now: seconds(790))
        let after = try #require(tracked.tracking.estimate)
        #expect(after.madeAt == seconds(790))
        #expect(abs(after.arrivesAt.timeIntervalSince(before.arrivesAt)) < 120)
        #expect(tracked.tracking.wayOrigin == trip.first.door)
        #expect(tracked.tracking.wayStartedAt == seconds(670))
    }

    @Test("A stop that is cancelled, gets another courier or is ended by an operator shows no place of its courier")
    func goneUnvisited() throws {
        let first = try Delivery.sample(in: .pickedUp, customer: "ole", door: along(-0.5))
        var last = try Delivery.sample(in: .pickedUp)
        try last.change(.stopsBefore(1), at: 0)
        let tracker = DeliveryTracker()
        var tracked = tracker.begin(last.changed(at: 0), after: nil)
        _ = tracker.update(&tracked, track: CourierTrack(), carried: [first, last], now: start)
        let changes: [DeliveryChange] = [
            .override(.failed, reason: "test"), .override(.cancelled, reason: "test"),
            .override(.delivered, reason: "test"), .courier(noah), .hold(reason: CourierProblem.noAccess.reason),
        ]
        for change in changes {
            var gone = first
            try gone.change(change, at: 60)
            tracked.beginWay(atDoorOf: [tracker.begin(gone.changed(at: 60), after: nil)])
            #expect(tracked.tracking.wayOrigin == nil)
        }
        var moved = first
        try moved.change(.courier(noah), at: 60)
        try moved.change(.status(.pickedUp, reason: nil), at: 61)
        try moved.change(.status(.delivered, reason: nil), at: 62)
        tracked.beginWay(atDoorOf: [tracker.begin(moved.changed(at: 62), after: nil)])
        #expect(tracked.tracking.wayOrigin == nil)
    }

    @Test("A provider's hand-over that an operator confirms shows its door and the report's time; a correction neither")
    func confirmedHandOver() throws {
        var first = try Delivery.sample(
            in: .pickedUp, customer: "ole", door: along(-0.5), proof: DeliveryProof(required: [.photo]))
        var last = try Delivery.sample(in: .pickedUp)
        try last.change(.stopsBefore(1), at: 0)
        let tracker = DeliveryTracker()
        let behind = tracker.begin(last.changed(at: 0), after: nil)
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "r", kind: "event",
            status: .delivered, courier: mira, occurredAt: seconds(60), receivedAt: seconds(60))
        try first.change(.report(report), at: 60)
        try first.change(.override(.delivered, reason: "test"), at: 300)
        #expect(first.reason == "test")
        var tracked = behind
        tracked.beginWay(atDoorOf: [tracker.begin(first.changed(at: 300), after: nil)])
        #expect(tracked.tracking.wayOrigin == first.door && tracked.tracking.wayStartedAt == seconds(60))

        // The time of the correction alone is known, and its confirmation was another's.
        try first.change(.override(.failed, reason: "test"), at: 400)
        try first.change(.override(.delivered, reason: "test"), at: 500)
        tracked = behind
        tracked.beginWay(atDoorOf: [tracker.begin(first.changed(at: 500), after: nil)])
        #expect(tracked.tracking.wayOrigin == nil)
    }

    @Test("A delivery at its door stays ahead of those behind it until its courier leaves it undone")
    func atDoor() throws {
        var load = try load(3, in: .enRoute)
        let ahead = load[..<2].map(\.id)
        #expect(StopsAhead.ids(before: load[2], among: load) == ahead.sorted())
        let fetched = try Delivery.sample(in: .assigned)
        func expect(carried: [DeliveryID]) {
            #expect(StopsAhead.ids(before: load[2], among: load) == carried.sorted())
            let stops = StopsAhead(of: load[2], among: load)
            #expect(stops.carried.map(\.id) == carried && stops.fetched.isEmpty)
            #expect(StopsAhead(of: fetched, among: load).carried.map(\.id) == carried + [load[2].id])
        }
        try load[0].change(.override(.atDoor, reason: "test"), at: 10)
        expect(carried: ahead)
        try load[0].change(.hold(reason: "fraud check"), at: 11)
        expect(carried: ahead)
        try load[0].change(.hold(reason: CourierProblem.noAccess.reason), at: 12)
        expect(carried: [load[1].id])
        try load[0].change(.release, at: 13)
        expect(carried: ahead)
        for code in [StatusCode.attempted, .returning] {
            try load[0].change(.override(code, reason: "test"), at: 20)
            expect(carried: [load[1].id])
        }
    }
}

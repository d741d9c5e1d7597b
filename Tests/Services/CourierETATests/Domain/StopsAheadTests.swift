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

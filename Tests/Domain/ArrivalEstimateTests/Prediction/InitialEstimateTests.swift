import Foundation
import OrderDomain
import Testing

@testable import ArrivalEstimate

@Suite("Estimates before any fix")
struct InitialEstimateTests {
    private func ahead(pickedUpAt: Double? = nil, promiseStart: Double = -600) -> UpcomingDelivery {
        let stops = pickedUpAt == nil ? [Route.Stop(place: store, dwellSeconds: 240)] : []
        return UpcomingDelivery(
            route: Route(mode: .bicycle, through: stops, to: door), store: store, storeName: "nordhavn",
            courier: "mira", placedAt: seconds(-1_200), pickedUpAt: pickedUpAt.map(seconds),
            promiseStart: seconds(promiseStart), storeDwellSeconds: 240, items: 12, distinctItems: 7)
    }

    /// An estimator trained on legs and orders that always take so long.
    private func trained(leg: Double, order: Double) throws -> ArrivalEstimator {
        let legs = try LegModel.fit(
            (0..<60).map { index in
                (
                    leg: UpcomingLeg(
                        straightMetres: 2_000 + Double(index) * 30, hour: Double(index % 24), weekday: index % 7 + 1),
                    seconds: leg
                )
            })
        let orders = try OrderModel.fit(
            (0..<60).map { index in
                (order: UpcomingOrder(store: "nordhavn", hour: Double(index % 24), weekday: 3), seconds: order)
            })
        let builtIn = ArrivalModel.builtIn
        return ArrivalEstimator(
            model: ArrivalModel(
                rides: 60, prior: builtIn.prior, regression: builtIn.regression, legs: legs, orders: orders))
    }

    @Test("From pickup there is a window, by the prior where there is no model of legs")
    func fromPickup() throws {
        let estimate = try #require(
            ArrivalEstimator().initialEstimate(for: ahead(pickedUpAt: 0), since: start, now: start))
        #expect((600...3_000).contains(estimate.remaining(at: start)))
        #expect(estimate.earliest < estimate.arrivesAt && estimate.arrivesAt < estimate.latest)
    }

    @Test("A model of legs gives the time; elapsed time is subtracted, and never more than all")
    func trainedWay() throws {
        let estimator = try trained(leg: 900, order: 2_400)
        func remaining(_ now: Double) throws -> Double {
            try #require(
                estimator.initialEstimate(for: ahead(pickedUpAt: 0), since: start, now: seconds(now))
            ).remaining(at: seconds(now))
        }
        #expect(abs(try remaining(0) - 900) < 200)
        #expect(abs(try remaining(0) - remaining(300) - 300) < 0.001)
        #expect(try remaining(5_000) >= 60)
    }

    @Test("From a door that the courier has left the way to the next one counts")
    func fromDoor() throws {
        let builtIn = ArrivalModel.builtIn
        let withLegs = ArrivalModel(
            rides: 60, prior: builtIn.prior, regression: builtIn.regression, legs: LegModel.builtIn,
            orders: OrderModel.builtIn)
        for estimator in [ArrivalEstimator(), ArrivalEstimator(model: withLegs)] {
            func remaining(from origin: Coordinate?) throws -> Double {
                var upcoming = ahead(pickedUpAt: 0)
                upcoming.origin = origin
                return try #require(estimator.initialEstimate(for: upcoming, since: start, now: start))
                    .remaining(at: start)
            }
            #expect(try remaining(from: store) == remaining(from: nil))
            #expect(try remaining(from: door) < remaining(from: nil) / 2)
        }
    }

    @Test("Before pickup an order takes as long as such orders do, but no shorter than the leg")
    func beforePickup() throws {
        let slow = try #require(
            try trained(leg: 900, order: 6_000).initialEstimate(for: ahead(), since: start, now: start))
        #expect(abs(slow.remaining(at: start) - 4_800) < 300)
        let fast = try #require(
            try trained(leg: 900, order: 1_300).initialEstimate(for: ahead(), since: start, now: start))
        let leg = try #require(
            try trained(leg: 900, order: 1_300).initialEstimate(for: ahead(pickedUpAt: 0), since: start, now: start))
        #expect(abs(fast.remaining(at: start) - leg.remaining(at: start) - 240) < 0.001)
    }

    @Test("What could go earlier waits for the promise to begin")
    func promised() throws {
        for estimator in [ArrivalEstimator(), try trained(leg: 900, order: 2_400)] {
            let estimate = try #require(
                estimator.initialEstimate(for: ahead(promiseStart: 20_000), since: start, now: start))
            #expect(abs(estimate.remaining(at: start) - 20_000) < 1)
            #expect(estimate.probability(after: seconds(27_200)) < 0.15)
        }
    }

    @Test("Doors before its own are ridden to and waited at, and the courier comes back with what is carried first")
    func earlierDoors() throws {
        for estimator in [ArrivalEstimator(), try trained(leg: 900, order: 1_300)] {
            func remaining(_ change: (inout UpcomingDelivery) -> Void) throws -> Double {
                var upcoming = ahead()
                change(&upcoming)
                return try #require(estimator.initialEstimate(for: upcoming, since: start, now: start))
                    .remaining(at: start)
            }
            let alone = try remaining { _ in }
            let stops = (1...11).map { count in
                (0..<count).map { _ in EarlierDoor(place: door, promiseStart: seconds(-600)) }
            }
            let behind = try stops.map { doors in try remaining { $0.earlierDoors = doors } }
            let dwell = estimator.model.dwell.doorSeconds
            for (one, next) in zip([alone] + behind, behind) { #expect(next >= one + dwell) }
            let waiting = try remaining {
                $0.earlierDoors = [EarlierDoor(place: door, promiseStart: seconds(20_000))]
            }
            #expect(waiting >= 20_000 + dwell)
            let returning = try remaining {
                $0.carriedStops = [door]
                $0.carriedSince = start
            }
            #expect(returning >= alone + dwell)
            let returned = try remaining {
                $0.carriedStops = [door]
                $0.carriedSince = seconds(-20_000)
            }
            #expect(returned == alone)
        }
    }

    @Test("At any time, of any leg, the window holds its point and lies ahead")
    func sound() throws {
        let trained = try trained(leg: 900, order: 2_400)
        for estimator in [ArrivalEstimator(), trained] {
            for now in stride(from: 0.0, through: 20_000, by: 500) {
                for one in [ahead(), ahead(pickedUpAt: 0), ahead(promiseStart: 9_000)] {
                    let estimate = try #require(estimator.initialEstimate(for: one, since: start, now: seconds(now)))
                    #expect(estimate.earliest >= seconds(now))
                    #expect(estimate.earliest <= estimate.arrivesAt && estimate.arrivesAt < estimate.latest)
                }
            }
        }
    }
}

import ArrivalEstimate
import DomainTime
import Foundation
import Logging
import Messages
import OrderDomain
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import CourierETA

@Suite("Roads in a tracked delivery", .timeLimit(.minutes(10)))
struct TrackedRoadsTests {
    /// Says half as long again as usual, and counts how often it is asked.
    private final class Longer: RoadDistance {
        let asked = Mutex<[Coordinate]>([])

        func road(from: Coordinate, to: Coordinate, by mode: TravelMode) -> KnownRoad {
            asked.withLock { $0.append(from) }
            let usual = DetourFactorDistance().road(from: from, to: to, by: mode).metres
            return KnownRoad(metres: 1.5 * usual, usualMetres: usual, isRouted: true)
        }
    }

    /// Answers nobody.
    private struct Dead: RoadEngine {
        func answer(from: Coordinate, to: Coordinate, by mode: TravelMode) async throws -> RoadAnswer {
            throw RoadFault.failed
        }
    }

    private func ride(_ tracker: DeliveryTracker, until share: Double = 0.6) throws -> [TrackedDelivery] {
        var tracked = tracker.begin(try Delivery.sample(in: .enRoute).changed(at: 0), after: nil)
        let fixes = CourierETATests.ride(from: 10, until: share)
        return fixes.indices.map { count in
            _ = tracker.update(
                &tracked, track: track(of: Array(fixes[...count])), carried: [], now: fixes[count].time)
            return tracked
        }
    }

    @Test("An engine is asked once in 200 m, and what it said lasts until then")
    func everyTwoHundredMetres() throws {
        let roads = Longer()
        let seen = try ride(DeliveryTracker(roads: roads))
        let places = roads.asked.withLock { $0 }
        #expect(places.count > 5)
        for (one, other) in zip(places, places.dropFirst()) { #expect(one.distance(to: other) > 200) }
        #expect(seen.allSatisfy { $0.tracking.roadSamples?.last?.reading.share == 1.5 })
        #expect(seen.allSatisfy { ($0.tracking.roadSamples?.count ?? 0) <= TrackingState.roadSamplesMax })
        #expect(seen.last?.tracking.roadSamples?.first?.from == places.first)
    }

    @Test("A new leg forgets what was said of the former")
    func newLeg() throws {
        let tracker = DeliveryTracker(roads: Longer())
        var delivery = try Delivery.sample(in: .enRoute)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        _ = tracker.update(
            &tracked, track: track(of: CourierETATests.ride(from: 10, until: 0.1)), carried: [], now: seconds(100))
        #expect(tracked.tracking.roadSamples?.isEmpty == false)
        try delivery.change(.courier(noah), at: 210)
        #expect(tracker.begin(delivery.changed(at: 210), after: tracked).tracking.roadSamples == nil)
    }

    @Test("A dead engine changes nothing: every estimate is the one without an engine, to the last digit")
    func deadEngine() async throws {
        let roads = RoutedRoads(
            engine: Dead(), usual: DetourFactorDistance(), metrics: MetricsRegistry(), logger: Logger(label: "test"))
        let question = RoutedRoads.RoadRequest(from: along(0), to: doorPlace, mode: .bicycle)
        for _ in 0..<10 { await roads.perform(question) }
        let withEngine = try ride(DeliveryTracker(roads: roads))
        let without = try ride(DeliveryTracker())
        #expect(withEngine.map(\.tracking.estimate) == without.map(\.tracking.estimate))
        #expect(withEngine.allSatisfy { $0.tracking.estimate != nil && $0.tracking.roadSamples == nil })
    }

    /// Takes every question and answers none until the test is over.
    private final class Hanging: RoadEngine {
        let asked = Mutex(0)
        let (silence, end) = AsyncStream<Void>.makeStream()

        func answer(from: Coordinate, to: Coordinate, by mode: TravelMode) async throws -> RoadAnswer {
            asked.withLock { $0 += 1 }
            for await _ in silence {}
            throw RoadFault.failed
        }
    }

    @Test("While an engine hangs, fixes are taken and estimates said", .tags(.integration), .postgresSchema)
    func hangingEngine() async throws {
        try await Harness.run { harness in
            let engine = Hanging()
            let roads = RoutedRoads(
                engine: engine, usual: DetourFactorDistance(), timeout: .seconds(3_600), metrics: MetricsRegistry(),
                logger: Logger(label: "test"))
            let parts = CourierETA.Parts(
                pool: harness.pool, clock: harness.wall.domain, partitions: harness.partitions, outbox: UnreadOutbox(),
                roads: roads)
            try await parts.applyDeliveryChange(try Delivery.sample(in: .enRoute).changed(at: 0))
            _ = try await harness.published()
            try await withThrowingTaskGroup { group in
                group.addTask { try await roads.run() }
                for (count, fix) in CourierETATests.ride(from: 10, until: 0.3).enumerated() {
                    harness.move(to: fix.time.timeIntervalSince(start))
                    let outcome = try await parts.ingestFixes([fix], of: mira.id)
                    #expect(outcome.accepted == 1)
                    if count == 0 { while engine.asked.withLock({ $0 }) == 0 { await Task.yield() } }
                }
                engine.end.finish()
                group.cancelAll()
            }
            #expect(try await !harness.published().estimates.isEmpty)
        }
    }

    @Test("A model that never saw an engine's metres says the same with them: they are a feature, not the answer")
    func featureOnly() throws {
        let routed = try ride(DeliveryTracker(roads: Longer()))
        #expect(routed.map(\.tracking.estimate) == (try ride(DeliveryTracker())).map(\.tracking.estimate))
    }

    @Test("What is kept of a delivery from before roads were noted can still be read")
    func withoutRoadSamples() throws {
        let tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector())
        var object = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(tracking)) as? [String: Any])
        object["roadSamples"] = nil
        let read = try JSONDecoder().decode(
            TrackingState.self, from: try JSONSerialization.data(withJSONObject: object))
        #expect(read == tracking)
    }
}

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

@Suite("Roads in a watched delivery", .timeLimit(.minutes(10)))
struct WatchedRoadsTests {
    /// Says half as long again as usual, and counts how often it is asked.
    private final class Longer: RoadDistance {
        let asked = Mutex<[Place]>([])

        func road(from: Place, to: Place, by mode: TravelMode) -> KnownRoad {
            asked.withLock { $0.append(from) }
            let usual = UsualRoads().road(from: from, to: to, by: mode).metres
            return KnownRoad(metres: 1.5 * usual, usualMetres: usual, isRouted: true)
        }
    }

    /// Answers nobody.
    private struct Dead: RoadEngine {
        func answer(from: Place, to: Place, by mode: TravelMode) async throws -> EngineAnswer {
            throw EngineFault.failed
        }
    }

    private func ride(_ watcher: Watcher, until share: Double = 0.6) throws -> [WatchedDelivery] {
        var watched = watcher.begin(try Delivery.sample(in: .enRoute).said(at: 0), after: nil)
        let fixes = CourierETATests.ride(from: 10, until: share)
        return fixes.indices.map { count in
            _ = watcher.observe(
                &watched, track: track(of: Array(fixes[...count])), carried: [], now: fixes[count].time)
            return watched
        }
    }

    @Test("An engine is asked once in 200 m, and what it said lasts until then")
    func everyTwoHundredMetres() throws {
        let roads = Longer()
        let seen = try ride(Watcher(roads: roads))
        let places = roads.asked.withLock { $0 }
        #expect(places.count > 5)
        for (one, other) in zip(places, places.dropFirst()) { #expect(one.distance(to: other) > 200) }
        #expect(seen.allSatisfy { $0.watch.roads?.last?.reading.share == 1.5 })
        #expect(seen.allSatisfy { ($0.watch.roads?.count ?? 0) <= Watch.roadsMax })
        #expect(seen.last?.watch.roads?.first?.from == places.first)
    }

    @Test("A new leg forgets what was said of the former")
    func newLeg() throws {
        let watcher = Watcher(roads: Longer())
        var delivery = try Delivery.sample(in: .enRoute)
        var watched = watcher.begin(delivery.said(at: 0), after: nil)
        _ = watcher.observe(
            &watched, track: track(of: CourierETATests.ride(from: 10, until: 0.1)), carried: [], now: seconds(100))
        #expect(watched.watch.roads?.isEmpty == false)
        try delivery.change(.courier(noah), at: 210)
        #expect(watcher.begin(delivery.said(at: 210), after: watched).watch.roads == nil)
    }

    @Test("A dead engine changes nothing: every estimate is the one without an engine, to the last digit")
    func deadEngine() async throws {
        let roads = RoutedRoads(
            engine: Dead(), usual: UsualRoads(), metrics: MetricsRegistry(), logger: Logger(label: "test"))
        let question = RoutedRoads.Question(from: along(0), to: doorPlace, mode: .bicycle)
        for _ in 0..<10 { await roads.ask(question) }
        let withEngine = try ride(Watcher(roads: roads))
        let without = try ride(Watcher())
        #expect(withEngine.map(\.watch.estimate) == without.map(\.watch.estimate))
        #expect(withEngine.allSatisfy { $0.watch.estimate != nil && $0.watch.roads == nil })
    }

    /// Takes every question and answers none until the test is over.
    private final class Hanging: RoadEngine {
        let asked = Mutex(0)
        let (silence, end) = AsyncStream<Void>.makeStream()

        func answer(from: Place, to: Place, by mode: TravelMode) async throws -> EngineAnswer {
            asked.withLock { $0 += 1 }
            for await _ in silence {}
            throw EngineFault.failed
        }
    }

    @Test("While an engine hangs, fixes are taken and estimates said", .tags(.integration), .postgresSchema)
    func hangingEngine() async throws {
        try await Harness.run { harness in
            let engine = Hanging()
            let roads = RoutedRoads(
                engine: engine, usual: UsualRoads(), timeout: .seconds(3_600), metrics: MetricsRegistry(),
                logger: Logger(label: "test"))
            let parts = CourierETA.Parts(
                pool: harness.pool, clock: harness.wall.domain, days: harness.days, wake: {}, roads: roads)
            try await parts.takeDelivery(try Delivery.sample(in: .enRoute).said(at: 0))
            _ = try await harness.said()
            try await withThrowingTaskGroup { group in
                group.addTask { try await roads.run() }
                for (count, fix) in CourierETATests.ride(from: 10, until: 0.3).enumerated() {
                    harness.move(to: fix.time.timeIntervalSince(start))
                    let outcome = try await parts.takeFixes([fix], of: mira.id)
                    #expect(outcome.accepted == 1)
                    if count == 0 { while engine.asked.withLock({ $0 }) == 0 { await Task.yield() } }
                }
                engine.end.finish()
                group.cancelAll()
            }
            #expect(try await !harness.said().estimates.isEmpty)
        }
    }

    @Test("A model that never saw an engine's metres says the same with them: they are a feature, not the answer")
    func featureOnly() throws {
        let routed = try ride(Watcher(roads: Longer()))
        #expect(routed.map(\.watch.estimate) == (try ride(Watcher())).map(\.watch.estimate))
    }

    @Test("What is kept of a delivery from before roads were noted can still be read")
    func formerWatch() throws {
        let watch = Watch(legSince: start, signs: SignRecord())
        var object = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(watch)) as? [String: Any])
        object["roads"] = nil
        let read = try JSONDecoder().decode(Watch.self, from: try JSONSerialization.data(withJSONObject: object))
        #expect(read == watch)
    }
}

import ArrivalEstimate
import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import OrderDomain
import SeededRandom
import TestSupport
import Testing

@testable import CourierETA

@Suite("The courier's distance on cards")
struct DistanceOnCardsTests {
    private static let everywhere = StoreTable<Bool>("*", value: { $0 == nil ? true : nil }) ?? StoreTable()

    /// A published content, and how far away the courier was.
    private struct Shown {
        let content: GroceryDeliveryAttributes.ContentState
        let metres: Double

        var bound: Int? {
            for part in content.detail.map({ $0.code.split(separator: "+") }) ?? [] {
                if part == "within_metres" { return content.detail?.values["metres"].flatMap { Int($0) } }
                if part == "within_kilometres" {
                    return content.detail?.values["kilometres"].flatMap { Int($0) }.map { $0 * 1_000 }
                }
            }
            return nil
        }
    }

    /// Plays a ride fix by fix; `orders` applies each milestone at once.
    private func play(
        _ fixes: [Fix], _ delivery: Delivery, on cards: DistanceOnCards
    ) throws -> (shown: [Shown], updates: [TrackingUpdate]) {
        var tracker = DeliveryTracker()
        tracker.distanceOnCards = cards
        var delivery = delivery
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        var shown: [Shown] = []
        var updates: [TrackingUpdate] = []
        for (index, fix) in fixes.enumerated() {
            let update = tracker.update(
                &tracked, track: track(of: Array(fixes[...index])), carried: [delivery], now: fix.time)
            updates.append(update)
            if !update.isEmpty { tracked.nextStep(isForScreens: update.isForScreens) }
            if update.isForScreens, let step = ActivityIntents().intent(for: tracked, at: fix.time)?.step {
                shown.append(Shown(content: step.content, metres: fix.place.distance(to: delivery.door)))
            }
            for milestone in update.milestones {
                let version = delivery.version
                try delivery.change(
                    .milestone(milestone, assignmentEpoch: 1), at: fix.time.timeIntervalSince(start))
                if delivery.version > version {
                    tracked = tracker.begin(delivery.changed(at: fix.time.timeIntervalSince(start)), after: tracked)
                }
            }
        }
        return (shown, updates)
    }

    /// A ride of random pace that stands still at times.
    private func randomRide(seed: UInt64) -> [Fix] {
        var random = SeededGenerator(seed: seed)
        var (share, time, fixes) = (0.0, 15.0, [Fix]())
        while share < 1, time < 5_400 {
            fixes.append(Fix(time: seconds(time), place: along(share), accuracy: 10, speed: 3))
            time += Double(Int.random(in: 5...40, using: &random))
            share += Double.random(in: 0...0.03, using: &random) * (Int.random(in: 0...3, using: &random) == 0 ? 0 : 1)
        }
        return fixes
    }

    @Test("A bound is never below the distance, and causes no update: the same rides have the same updates without it")
    func noFurtherUpdates() throws {
        var bounds = Set<Int>()
        for seed in 0..<12 {
            let fixes = randomRide(seed: UInt64(seed))
            let delivery = try Delivery.sample(in: .enRoute)
            let with = try play(fixes, delivery, on: DistanceOnCards(stores: Self.everywhere) { _ in false })
            let without = try play(fixes, delivery, on: DistanceOnCards())
            #expect(with.updates == without.updates && with.shown.count == without.shown.count, "seed \(seed)")
            #expect(without.shown.allSatisfy { $0.bound == nil })
            for shown in with.shown {
                guard let bound = shown.bound else { continue }
                bounds.insert(bound)
                #expect(shown.metres < Double(bound), "seed \(seed)")
                // The door's place on the grid is at most 80 metres away from it.
                let lower = DistanceBound.allCases.map(\.metres).last { $0 < bound } ?? 0
                #expect(shown.metres + 80 >= Double(lower), "seed \(seed): not the least bound")
            }
        }
        #expect(bounds.isSuperset(of: [1_000, 2_000, 5_000]))
    }

    @Test("Neither a courier with other stops first, nor an exempt one, nor one of another store is on a card")
    func others() throws {
        let fixes = ride(from: 15, until: 0.6)
        func bounds(
            _ change: DeliveryChange? = nil, stores: String = "*", isExempt: Bool = false
        ) throws -> Set<Int?> {
            var delivery = try Delivery.sample(in: .enRoute)
            if let change { try delivery.change(change, at: 1) }
            let stores = try #require(StoreTable<Bool>(stores, value: { $0 == nil ? true : nil }))
            return Set(
                try play(fixes, delivery, on: DistanceOnCards(stores: stores) { _ in isExempt }).shown.map(\.bound))
        }
        #expect(try bounds().contains { $0 != nil })
        #expect(try bounds(stores: "nordhavn").contains { $0 != nil })
        #expect(try bounds(stores: "valby") == [nil])
        #expect(try bounds(isExempt: true) == [nil])
        #expect(try bounds(.courier(mira, stopsBefore: 2)) == [nil])
    }

    @Test("A fix of before the end of a hold gives no bound")
    func released() throws {
        var tracker = DeliveryTracker()
        tracker.distanceOnCards = DistanceOnCards(stores: Self.everywhere) { _ in false }
        var delivery = try Delivery.sample(in: .enRoute)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        let fixes = ride(from: 15, until: 0.5)
        func bound(at time: Double) -> Int? {
            _ = tracker.update(
                &tracked, track: track(of: fixes.filter { $0.time <= seconds(time) }), carried: [delivery],
                now: seconds(time))
            return tracked.tracking.withinMetres
        }
        #expect(bound(at: 60) != nil)
        try delivery.change(.hold(reason: "rain"), at: 70)
        tracked = tracker.begin(delivery.changed(at: 70), after: tracked)
        #expect(bound(at: 75) == nil)
        try delivery.change(.release, at: 80)
        tracked = tracker.begin(delivery.changed(at: 80), after: tracked)
        #expect(bound(at: 82) == nil, "its fix is of 75")
        #expect(bound(at: 95) != nil)
    }

    @Test("A bound is of a fix of this leg, at most two minutes old, and ends with a hold or at the door")
    func conditions() throws {
        let cards = DistanceOnCards(stores: Self.everywhere) { _ in false }
        func bound(_ delivery: Delivery, fixedAt: Double, legSince: Double = 0, now: Double) -> DistanceBound? {
            cards.bound(
                of: delivery, since: seconds(legSince),
                latest: Fix(time: seconds(fixedAt), place: along(0.9), accuracy: 10, speed: 3), now: seconds(now))
        }
        var delivery = try Delivery.sample(in: .enRoute)
        #expect(bound(delivery, fixedAt: 10, now: 130) == .metres500)
        #expect(bound(delivery, fixedAt: 10, now: 131) == nil)
        #expect(bound(delivery, fixedAt: 10, legSince: 11, now: 20) == nil)
        try delivery.change(.hold(reason: "rain"), at: 20)
        #expect(bound(delivery, fixedAt: 10, now: 20) == nil)
        #expect(bound(try .sample(in: .atDoor), fixedAt: 10, now: 20) == nil)
        #expect(bound(try .sample(in: .assigned), fixedAt: 10, now: 20) == nil)
    }
}

@Suite("Couriers exempt from cards", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct MapExemptionsTests {
    @Test("Everyone is exempt until the first load, and then who is in the table")
    func loads() async throws {
        try await Harness.run { harness in
            let exemptions = MapExemptions(pool: harness.pool, logger: Logger(label: "test"))
            #expect(exemptions.includes(mira.id))
            let exempt = ExemptFromMap(pool: harness.pool, clock: harness.wall.domain)
            try await exempt.set(isShown: false, of: noah.id, by: "operator ada")
            try await exemptions.load()
            #expect(!exemptions.includes(mira.id) && exemptions.includes(noah.id))
            try await exempt.set(isShown: true, of: noah.id, by: "operator ada")
            try await exemptions.load()
            #expect(!exemptions.includes(noah.id))
        }
    }
}

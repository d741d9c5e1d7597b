import ArrivalEstimate
import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Deliveries and fixes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct UseCaseTests {
    @Test("A fix becomes history, position, estimate and intent, at rising steps")
    func fixesBecomeIntents() async throws {
        try await Harness.run { harness in
            let delivery = try Delivery.sample(in: .enRoute)
            #expect(try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)))
            let first = try await harness.published()
            #expect(first.intents.count == 1 && first.estimates.count == 1, "a window before any fix")
            #expect(first.intents[0].step.content.revision.step == 1)

            harness.move(to: 20)
            let halfWay = Fix(time: seconds(15), place: along(0.5), accuracy: 10, speed: 3)
            let outcome = try await harness.parts.ingestFixes([halfWay], of: mira.id)
            #expect(outcome == IngestFixes.Outcome(accepted: 1, ignored: [:]))
            let second = try await harness.published()
            let intent = try #require(second.intents.first)
            let estimate = try #require(second.estimates.first)
            #expect(intent.step.content.revision.version == delivery.version)
            #expect(intent.step.content.revision.step == 2 && estimate.step == 2 && estimate.courier == mira.id)
            #expect(intent.step.content.arrival == Window(shown: estimate.estimate))
            #expect(estimate.missProbability.map { (0...1).contains($0) } == true)
            #expect(intent.step.supersedes(first.intents[0].step))
        }
    }

    @Test("A ride sent fix by fix brings each milestone once, and few intents")
    func wholeRide() async throws {
        try await Harness.run { harness in
            var delivery = try await harness.learnDelivery(in: .pickedUp)
            var published: [Harness.Message] = []
            for fix in ride(from: 15, until: 1) {
                let time = fix.time.timeIntervalSince(start)
                harness.move(to: time)
                _ = try await harness.parts.ingestFixes([fix], of: mira.id)
                let now = try await harness.published()
                published += now
                for milestone in now.milestones {
                    // What orders makes of it comes back as a new version.
                    try delivery.change(.milestone(milestone, assignmentEpoch: 1), at: time)
                    try await harness.parts.applyDeliveryChange(delivery.changed(at: time))
                    published += try await harness.published()
                }
            }
            #expect(published.milestones == [.leftStore, .arriving])
            #expect(delivery.status == .handedOver(.arriving))
            #expect((3...15).contains(published.intents.count))
            let revisions = published.intents.map { [$0.step.content.revision.version, $0.step.content.revision.step] }
            #expect(Set(revisions).count == revisions.count)
        }
    }

    @Test("An older or equal version changes nothing, in whatever order they come")
    func versions() async throws {
        try await Harness.run { harness in
            var delivery = try Delivery.sample(in: .pickedUp)
            let old = delivery.changed(at: 0)
            try delivery.change(.status(.enRoute, reason: nil), at: 10)
            #expect(try await harness.parts.applyDeliveryChange(delivery.changed(at: 10)))
            _ = try await harness.published()
            #expect(try await !harness.parts.applyDeliveryChange(old))
            #expect(try await !harness.parts.applyDeliveryChange(delivery.changed(at: 10)))
            #expect(try await harness.published().isEmpty)
            let kept = try await DeliveryRepository.delivery(delivery.id, on: harness.pool)
            #expect(kept?.delivery == delivery)
        }
    }

    @Test("One new delivery that comes to many replicas at once is applied once")
    func sameNews() async throws {
        try await Harness.run { harness in
            let delivery = try Delivery.sample(in: .enRoute)
            let news = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(news == 1)
            #expect(try await harness.published().intents.count == 1)
        }
    }

    @Test("A new version publishes the newest estimate at that version")
    func newVersion() async throws {
        try await Harness.run { harness in
            var delivery = try await harness.learnDelivery(in: .pickedUp)
            harness.move(to: 120)
            for fix in ride(from: 15, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            let before = try await harness.published()
            try delivery.change(.status(.enRoute, reason: nil), at: 121)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 121))
            let after = try await harness.published()
            let estimate = try #require(after.estimates.first)
            #expect(estimate.version == delivery.version)
            #expect(estimate.step > (before.estimates.map(\.step).max() ?? 0))
            #expect(after.intents.first?.step.content.arrival != nil)
        }
    }

    @Test("Delivered ends the activity, and nothing is published after it")
    func delivered() async throws {
        try await Harness.run { harness in
            var delivery = try Delivery.sample(in: .atDoor, at: 10)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 10))
            _ = try await harness.published()
            try delivery.change(.status(.delivered, reason: nil), at: 60)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 60))
            let published = try await harness.published()
            #expect(published.intents.map(\.step.isEnd) == [true] && published.estimates.isEmpty)
            harness.move(to: 70)
            _ = try await harness.parts.ingestFixes([Fix(time: seconds(69), place: doorPlace)], of: mira.id)
            #expect(try await harness.published().isEmpty)
        }
    }

    @Test("A backlog is recorded and changes no screen")
    func backlog() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            _ = try await harness.published()
            harness.move(to: 600)
            let ride = ride(from: 0, until: 0.5)
            let outcome = try await harness.parts.ingestFixes(ride, of: mira.id)
            #expect(outcome.accepted == ride.count)
            #expect(try await harness.published().isEmpty)
            let track = try await CourierRepository.track(of: mira.id, on: harness.pool)
            #expect(track.latest == ride.last)
        }
    }

    @Test("A late fix is recorded and leaves the position where it is")
    func lateFix() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 60)
            let newest = Fix(time: seconds(55), place: along(0.06), accuracy: 10, speed: 3)
            _ = try await harness.parts.ingestFixes([newest], of: mira.id)
            _ = try await harness.published()
            let late = Fix(time: seconds(40), place: along(0.04), accuracy: 10, speed: 3)
            #expect(try await harness.parts.ingestFixes([late], of: mira.id).accepted == 1)
            #expect(try await harness.published().isEmpty)
            #expect(try await CourierRepository.track(of: mira.id, on: harness.pool).latest == newest)
        }
    }

    @Test("A repeat counts as a duplicate, and garbage by its kind")
    func counts() async throws {
        try await Harness.run { harness in
            harness.move(to: 1_000)
            let ride = ride(from: 0, until: 1)
            #expect(try await harness.parts.ingestFixes(ride, of: mira.id).accepted == ride.count)
            let again = try await harness.parts.ingestFixes(ride, of: mira.id)
            #expect(again == IngestFixes.Outcome(accepted: 0, ignored: [.duplicate: ride.count]))
            let garbage = [
                Fix(time: seconds(990), place: Coordinate(latitude: 0, longitude: 0)!),
                Fix(time: seconds(2_000), place: doorPlace), Fix(time: seconds(991), place: doorPlace, accuracy: 500),
                Fix(time: seconds(992), place: Coordinate(latitude: -10, longitude: 100)!),
            ]
            let outcome = try await harness.parts.ingestFixes(garbage, of: mira.id)
            #expect(
                outcome
                    == IngestFixes.Outcome(accepted: 0, ignored: [.zero: 1, .future: 1, .inaccurate: 1, .tooFast: 1]))
        }
    }

    @Test("Fixes of one courier that come all at once are ingested one after the other")
    func concurrently() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 120)
            let ride = ride(from: 0, until: 0.13)
            try await withThrowingTaskGroup { group in
                for fix in ride.shuffled() {
                    group.addTask { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
                }
                try await group.waitForAll()
            }
            #expect(try await CourierRepository.track(of: mira.id, on: harness.pool) == track(of: ride))
            let steps = try await harness.published().intents.map(\.step.content.revision.step)
            #expect(Set(steps).count == steps.count)
        }
    }
}

import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import Testing
import WireCoding

@testable import CourierETA

@Suite("Activity intents")
struct ActivityIntentsTests {
    private func tracked(_ delivery: Delivery, step: Int = 3) -> TrackedDelivery {
        let estimate = Estimate(
            arrivesAt: seconds(600), earliest: seconds(500), latest: seconds(800), madeAt: seconds(100))
        return TrackedDelivery(
            change: delivery.changed(at: 0),
            tracking: TrackingState(
                legStartedAt: start, published: estimate, detector: MilestoneDetector(),
                lastPublished: .init(legProgress: 0.4, lastFixAt: start)),
            step: step)
    }

    @Test("An intent carries the version, the step and the window that was published")
    func content() throws {
        let delivery = try Delivery.sample(in: .enRoute)
        let intent = try #require(ActivityIntents().intent(for: tracked(delivery), at: seconds(100)))
        #expect(intent.activity == ActivityID(delivery.id, episode: 1) && intent.writer == .courierETA)
        #expect(intent.step.content.revision.version == delivery.version && intent.step.content.revision.step == 3)
        #expect(intent.step.content.arrival?.from == seconds(480).epochSeconds)
        #expect(intent.step.content.arrival?.to == seconds(840).epochSeconds)
        #expect(!intent.step.isEnd)
    }

    @Test("A delivered delivery ends its activity, for fifteen minutes")
    func delivered() throws {
        let intent = try #require(
            ActivityIntents().intent(for: tracked(try .sample(in: .delivered, at: 900)), at: seconds(900)))
        guard case .ended(let ended) = intent.step else {
            Issue.record("not an end: \(intent.step)")
            return
        }
        #expect(ended.endedAt == seconds(900).epochSeconds && ended.dismissal == .after(seconds: 900))
    }

    @Test("A later step supersedes the one before, and the end supersedes all")
    func order() throws {
        let delivery = try Delivery.sample(in: .enRoute)
        let intents = ActivityIntents()
        let first = try #require(intents.intent(for: tracked(delivery, step: 1), at: start)).step
        let second = try #require(intents.intent(for: tracked(delivery, step: 2), at: start)).step
        let end = try #require(intents.intent(for: tracked(try .sample(in: .delivered), step: 1), at: start)).step
        #expect(second.supersedes(first) && !first.supersedes(second))
        #expect(end.supersedes(second) && !second.supersedes(end))
    }

    private func staleAt(_ tracked: TrackedDelivery, at: Double) throws -> Int {
        let messages = try TrackingMessages().messages(for: tracked, milestones: [], at: seconds(at))
        let intent = try #require(messages.last)
        let step = try WireJSON.decode(Intent.self, from: Data(intent.payload)).step
        guard case .show(let shown) = step else { throw NotShown() }
        return shown.staleAt
    }

    private struct NotShown: Error {}

    @Test(
        "News of a delivery that has long been at the door is not stale on arrival",
        arguments: [StatusCode.atDoor, .attempted])
    func newsAtTheDoor(code: StatusCode) throws {
        var delivery = try Delivery.sample(in: code, at: 900)
        try delivery.change(.milestone(.late, assignmentEpoch: 1), at: 4_000)
        var tracked = tracked(delivery)
        tracked.change = delivery.changed(at: 4_000)
        #expect(try staleAt(tracked, at: 4_000) > seconds(4_000).epochSeconds)
    }

    @Test("What stands until the next status is fresh for as long as it is said again")
    func repeated() throws {
        let tracked = tracked(try .sample(in: .atDoor, at: 900))
        #expect(try staleAt(tracked, at: 1_500) == seconds(1_500).epochSeconds + 15 * 60)
        #expect(try staleAt(tracked, at: 2_100) == seconds(2_100).epochSeconds + 15 * 60)
    }

    @Test("An arrival and a silent courier are as old as the fixes behind them, however often they are said again")
    func evidence() throws {
        var tracked = tracked(try .sample(in: .enRoute, at: 50))
        tracked.tracking.lastPublished.freshUntil = seconds(300)
        #expect(try staleAt(tracked, at: 100) == seconds(300).epochSeconds)
        #expect(try staleAt(tracked, at: 500) == seconds(300).epochSeconds)
        var delivery = try Delivery.sample(in: .enRoute, at: 50)
        try delivery.change(.milestone(.silent, assignmentEpoch: 1), at: 200)
        tracked.change = delivery.changed(at: 200)
        #expect(try staleAt(tracked, at: 200) == seconds(200).epochSeconds + 2 * 60)
        #expect(try staleAt(tracked, at: 800) == seconds(200).epochSeconds + 2 * 60)
    }
}

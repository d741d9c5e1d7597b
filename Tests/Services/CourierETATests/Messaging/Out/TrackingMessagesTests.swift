import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import Testing
import WireCoding

@testable import CourierETA

@Suite("Tracking messages")
struct TrackingMessagesTests {
    private let trackingMessages = TrackingMessages()

    private func subjects(_ delivery: Delivery) throws -> [String] {
        let estimate = Estimate(
            arrivesAt: seconds(600), earliest: seconds(500), latest: seconds(800), madeAt: start)
        let tracking = TrackingState(legStartedAt: start, published: estimate, detector: MilestoneDetector())
        return try trackingMessages.messages(
            for: TrackedDelivery(change: delivery.changed(at: 0), tracking: tracking, step: 3), milestones: [],
            at: start
        ).map(\.subject)
    }

    static let batons: [(StatusCode, Bool)] = [
        (.assigned, false), (.pickedUp, true), (.enRoute, true), (.arriving, true), (.atDoor, true),
        (.attempted, true), (.returning, false), (.delivered, true), (.cancelled, false), (.failed, false),
    ]

    @Test(
        "The activity is written while this service holds the baton, and only then",
        arguments: TrackingMessagesTests.batons)
    func baton(code: StatusCode, writesActivity: Bool) throws {
        #expect(try subjects(.sample(in: code)).contains(Subject.intents(.courierETA)) == writesActivity)
    }

    @Test("On hold the card is orders', but the estimate is still published")
    func onHold() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        try delivery.change(.hold(reason: "flat tyre"), at: 1)
        let subjects = try subjects(delivery)
        #expect(subjects.contains(Subject.estimatesChanged))
        #expect(!subjects.contains(Subject.intents(.courierETA)))
    }

    @Test("Milestones carry the assignment that they were detected in, and places the time of their fix")
    func milestones() throws {
        let delivery = try Delivery.sample(in: .enRoute)
        let tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector(), lastFixAt: seconds(3))
        let messages = try trackingMessages.messages(
            for: TrackedDelivery(change: delivery.changed(at: 0), tracking: tracking, step: 1),
            milestones: [.arriving, .late],
            at: seconds(5))
        let milestones = try messages.filter { $0.subject == Subject.milestonesReached }
            .map { try WireJSON.decode(MilestoneReached.self, from: Data($0.payload)) }
        #expect(milestones.map(\.milestone) == [.arriving, .late])
        #expect(milestones.map(\.at) == [seconds(3), seconds(5)])
        #expect(milestones.allSatisfy { $0.assignmentEpoch == 1 })
    }

    @Test(
        "A milestone at the door, or near it, names that door, and one about the promise its end; no other does",
        arguments: Milestone.allCases)
    func doorAndPromise(milestone: Milestone) throws {
        let delivery = try Delivery.sample(in: .enRoute)
        let tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector(), lastFixAt: seconds(3))
        let messages = try trackingMessages.messages(
            for: TrackedDelivery(change: delivery.changed(at: 0), tracking: tracking, step: 1),
            milestones: [milestone], at: seconds(5))
        let message = try #require(messages.first { $0.subject == Subject.milestonesReached })
        let reached = try WireJSON.decode(MilestoneReached.self, from: Data(message.payload))
        let isThere = milestone == .arriving || milestone == .atDoor
        #expect(reached.door == (isThere ? delivery.door : nil))
        let isOfPromise = milestone == .late || milestone == .onTime
        #expect(reached.promiseEnd == (isOfPromise ? delivery.promise.end : nil))
    }
}

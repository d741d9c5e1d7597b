import Foundation
import Messages
import OrderDomain
import ReliableMessaging

@testable import CourierETA

/// What `courier-eta` stores and publishes.
struct CourierSide {
    private let tracker = DeliveryTracker()
    private let trackingMessages = TrackingMessages()
    private var tracked: [DeliveryID: TrackedDelivery] = [:]
    var outbox: [OutboxMessage] = []

    /// A snapshot: the version comparison is the inbox.
    mutating func apply(_ change: DeliveryChanged, at now: Date) throws {
        let former = tracked[change.delivery.id]
        guard change.delivery.version > (former?.delivery.version ?? 0) else { return }
        var next = tracker.begin(change, after: former)
        next.nextStep()
        tracked[change.delivery.id] = next
        outbox += try trackingMessages.messages(for: next, milestones: [], at: now)
    }

    /// Fixes came in and gave an estimate worth showing.
    mutating func estimate(_ id: DeliveryID, seconds: Double, at now: Date) throws {
        guard var one = tracked[id], one.delivery.courier != nil, !one.delivery.status.isEnded else { return }
        one.tracking.published = Estimate(
            arrivesAt: now + seconds, earliest: now + seconds * 0.8, latest: now + seconds * 1.4, madeAt: now)
        one.nextStep()
        tracked[id] = one
        outbox += try trackingMessages.messages(for: one, milestones: [], at: now)
    }

    mutating func republish(at now: Date) throws {
        for one in tracked.values.sorted(by: { $0.delivery.id < $1.delivery.id }) {
            outbox += try trackingMessages.messages(for: one, milestones: [], at: now)
        }
    }
}

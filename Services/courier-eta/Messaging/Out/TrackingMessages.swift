import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import ReliableMessaging

/// The outbox messages of a tracked delivery.
struct TrackingMessages: Sendable {
    var intents = ActivityIntents()

    /// Begins a delivery's next step, where an update has anything to publish.
    ///
    /// - Returns: the messages of the step; none without one.
    func nextStep(
        of tracked: inout TrackedDelivery, by update: TrackingUpdate, at now: Date
    ) throws -> [OutboxMessage] {
        guard !update.isEmpty else { return [] }
        tracked.nextStep(isForScreens: update.isForScreens)
        return try messages(for: tracked, milestones: update.milestones, isForScreens: update.isForScreens, at: now)
    }

    /// Milestones, then the estimate and the intent at the delivery's present step.
    ///
    /// - Parameter isForScreens: false where the update is for operators and `orders` only.
    func messages(
        for tracked: TrackedDelivery, milestones: [Milestone], isForScreens: Bool = true, at now: Date
    ) throws -> [OutboxMessage] {
        let delivery = tracked.delivery
        var messages = try milestones.map { milestone in
            try OutboxMessage(
                subject: Subject.milestonesReached, key: delivery.id.rawValue,
                encoding: MilestoneReached(
                    delivery: delivery.id, milestone: milestone, assignmentEpoch: delivery.assignmentEpoch,
                    at: milestone.isShownByFix ? tracked.tracking.lastFixAt ?? now : now,
                    door: milestone == .arriving || milestone == .atDoor ? delivery.door : nil,
                    promiseEnd: milestone == .late || milestone == .onTime ? delivery.promise.end : nil))
        }
        // A silent courier's window leaves screens at its end; operators keep the published estimate, and read how the risk
        // grows. Where silence began before any was published, they read the newest.
        let kept = tracked.tracking.detector.isSilent ? tracked.tracking.estimate : nil
        // After the end the errors of what was shown are still news, for a day's report.
        let errors = tracked.tracking.arrivalErrors
        if let estimate = tracked.tracking.published ?? kept, let courier = delivery.courier,
            !delivery.status.isEnded || errors != nil
        {
            messages.append(
                try OutboxMessage(
                    subject: Subject.estimatesChanged, key: delivery.id.rawValue,
                    encoding: EstimateChanged(
                        delivery: delivery.id, version: delivery.version, step: tracked.step,
                        estimate: estimate, courier: courier.id, lastFixAt: tracked.tracking.lastFixAt,
                        missProbability: tracked.tracking.lastPublished.missProbability,
                        errors: errors?.map {
                            EstimateChanged.ShownError(horizon: $0.horizon.rawValue, seconds: $0.seconds)
                        })))
        }
        if isForScreens, let intent = intents.intent(for: tracked, at: now) {
            messages.append(
                try OutboxMessage(
                    subject: Subject.intents(.courierETA), key: intent.activity.rawValue, encoding: intent))
        }
        return messages
    }
}

import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import ReliableMessaging

/// What the others must hear of a delivery under watch.
struct Announcement: Sendable {
    var intents = ActivityIntents()

    /// Signs, then the estimate and the intent at the delivery's present step.
    ///
    /// - Parameter isForScreens: false where only operators and `orders` have something to hear.
    func messages(
        for watched: WatchedDelivery, signs: [Sign], isForScreens: Bool = true, at now: Date
    ) throws -> [OutboxMessage] {
        let delivery = watched.delivery
        var messages = try signs.map { sign in
            try OutboxMessage(
                subject: Subject.milestoneReached(delivery.id),
                encoding: MilestoneReached(
                    delivery: delivery.id, milestone: sign.milestone, assignmentEpoch: delivery.assignmentEpoch,
                    at: sign.isPlace ? watched.watch.lastFixAt ?? now : now))
        }
        if let published = watched.watch.published, let courier = delivery.courier, !delivery.status.isEnded {
            messages.append(
                try OutboxMessage(
                    subject: Subject.estimateChanged(delivery.id),
                    encoding: EstimateChanged(
                        delivery: delivery.id, version: delivery.version, step: watched.step,
                        estimate: Estimate(published), courier: courier.id, lastFixAt: watched.watch.lastFixAt,
                        missProbability: watched.watch.said.missProbability)))
        }
        if isForScreens, let intent = intents.intent(for: watched) {
            messages.append(
                try OutboxMessage(
                    subject: Subject.intent(.courierETA, delivery.customer, intent.activity), encoding: intent))
        }
        return messages
    }
}

import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// The intents of this service while it holds the baton: the delivery's activity from pickup to the door.
struct ActivityIntents: Sendable {
    var dismissal = DismissalPolicy.standard

    /// Whether this service writes the activity.
    static func writesActivity(_ delivery: Delivery) -> Bool { delivery.holder == .courierETA }

    /// The activity of the delivery's present episode, whole; nil while another service holds the baton.
    ///
    /// - Parameter now: the time of the intent, domain time.
    func intent(for tracked: TrackedDelivery, at now: Date) -> Intent? {
        let delivery = tracked.delivery
        guard Self.writesActivity(delivery) else { return nil }
        let snapshot = DeliverySnapshot(
            delivery, links: tracked.change.links, silentSince: tracked.tracking.lastPublished.lastFixAt?.epochSeconds,
            standingSince: tracked.tracking.lastPublished.standingSince?.epochSeconds,
            hasPhone: tracked.tracking.lastPublished.hasPhone ?? true,
            withinMetres: tracked.tracking.lastPublished.withinMetres, pin: tracked.change.pin)
        let arrival = tracked.tracking.shown.map { Window(shown: $0) }
        return Intent(
            activity: ActivityID(delivery.id, episode: delivery.episode), customer: delivery.customer,
            delivery: delivery.id, store: delivery.store.id, writer: .courierETA,
            step: ActivityStep.after(
                snapshot, arrival: arrival, legProgress: tracked.tracking.lastPublished.legProgress, step: tracked.step,
                freshUntil: tracked.tracking.lastPublished.freshUntil?.epochSeconds, dismissal: dismissal,
                now: trueAt(tracked, now: now).epochSeconds)
        )
    }

    /// The time at which the content was last known to be true, from which its age counts.
    ///
    /// An arrival, and a courier's silence, are as old as the fixes behind them, however often they are repeated.
    /// Content that holds until the next status is true for as long as this service publishes it.
    private func trueAt(_ tracked: TrackedDelivery, now: Date) -> Date {
        let delivery = tracked.delivery
        let shown = tracked.tracking.shown
        guard Stage(delivery)?.isUnderWay == true, shown != nil || delivery.flags.contains(.courierSilent)
        else { return now }
        return max(shown?.madeAt ?? delivery.statusSince, delivery.statusSince, tracked.change.changedAt)
    }
}

import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// This service's hold on the baton: what a delivery's activity should show from pickup to the door.
struct ActivityIntents: Sendable {
    var dismissal = DismissalPolicy.standard

    /// Whether this service writes the activity.
    static func writesActivity(_ delivery: Delivery) -> Bool { delivery.holder == .courierETA }

    /// The activity of the delivery's present episode, whole; nil while another service holds the baton.
    func intent(for watched: WatchedDelivery) -> Intent? {
        let delivery = watched.delivery
        guard Self.writesActivity(delivery) else { return nil }
        let snapshot = DeliverySnapshot(
            delivery, links: watched.change.links, silentSince: watched.watch.said.lastFixAt?.epochSeconds,
            standingSince: watched.watch.said.standingSince?.epochSeconds)
        let arrival = watched.watch.published.map { Window(shown: Estimate($0)) }
        let saidAt = max(watched.watch.published?.madeAt ?? delivery.statusSince, delivery.statusSince)
        return Intent(
            activity: ActivityID(delivery.id, episode: delivery.episode), customer: delivery.customer,
            delivery: delivery.id, store: delivery.store.id, writer: .courierETA,
            step: ActivityStep.after(
                snapshot, arrival: arrival, legProgress: watched.watch.said.legProgress, step: watched.step,
                freshUntil: watched.watch.said.freshUntil?.epochSeconds, dismissal: dismissal, now: saidAt.epochSeconds)
        )
    }
}

import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// Builds this service's intents: the wanted state of a delivery's activity, at step 0 of each version.
struct OrderIntents: Sendable {
    /// Domain seconds after which step 0 is written although another service writes the activity, so that a delivery
    /// ends on every screen even while that service is down.
    static let lateIntentSeconds: TimeInterval = 10

    let dismissal: DismissalPolicy

    /// Whether this service writes the delivery's activity now; else `courier-eta` does.
    static func writesActivity(_ delivery: Delivery) -> Bool { delivery.holder == .orders }

    /// The whole activity of the delivery's present episode.
    ///
    /// - Parameters:
    ///   - pin: the customer's, sealed; nil unless the card shows it.
    ///   - estimate: the newest of `courier-eta`; shown from pickup on.
    ///   - now: the time of the state, domain time, from which a screen counts it as fresh.
    func intent(
        for delivery: Delivery, links: [DeliveryLink], pin: String? = nil, estimate: Estimate?, at now: Date
    ) -> Intent {
        let snapshot = DeliverySnapshot(delivery, links: links, pin: pin)
        let arrival = estimate.flatMap { estimate -> Window? in
            guard delivery.pickedUpAt != nil else { return nil }
            let window = Window(shown: estimate)
            // A window that is over is of no arrival to come: the courier is silent, or `courier-eta` is.
            return window.to <= now.epochSeconds ? nil : window
        }
        return Intent(
            activity: ActivityID(delivery.id, episode: delivery.episode), customer: delivery.customer,
            delivery: delivery.id, store: delivery.store.id, writer: .orders,
            step: ActivityStep.after(
                snapshot, arrival: arrival, step: 0, dismissal: dismissal, now: now.epochSeconds))
    }
}

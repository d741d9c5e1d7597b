package import DoorstepAPI
package import Foundation
internal import OrderDomain

/// The timelines of one delivery from all three services, as far as they answered.
package struct MergedTimeline: Sendable {
    package struct Orders: Sendable {
        package let delivery: DeliveryBody
        package let entries: [TimelineBody.Entry]
        /// Whether the delivery's courier has other live deliveries, as far as it was read.
        package let courierHasOthers: Bool

        package init(delivery: DeliveryBody, entries: [TimelineBody.Entry], courierHasOthers: Bool = false) {
            self.delivery = delivery
            self.entries = entries
            self.courierHasOthers = courierHasOthers
        }
    }

    package let orders: PeerAnswer<Orders>
    package let estimate: PeerAnswer<EstimateBody>
    package let activities: PeerAnswer<[ActivityBody]>
    /// The customer's devices; none where `activities` is no body.
    package let phones: [CustomerPhoneBody]

    package init(
        orders: PeerAnswer<Orders>, estimate: PeerAnswer<EstimateBody>, activities: PeerAnswer<[ActivityBody]>,
        phones: [CustomerPhoneBody] = []
    ) {
        self.orders = orders
        self.estimate = estimate
        self.activities = activities
        self.phones = phones
    }

    /// The store's; UTC where it is not known.
    package var timeZone: TimeZone {
        (orders.body?.delivery.store.timeZone).flatMap { TimeZone(identifier: $0) } ?? .gmt
    }

    /// A sentence for each service that did not answer: the missing part, and the reason.
    package var missingParts: [String] {
        func sentence<Body>(_ answer: PeerAnswer<Body>, _ missing: String) -> String? {
            guard case .unavailable(let reason) = answer else { return nil }
            return "\(missing) missing here: \(reason)"
        }
        return [
            sentence(orders, "the status and its timeline are"),
            sentence(estimate, "the estimate and the milestones are"),
            sentence(activities, "the cards and pushes are"),
        ].compactMap(\.self)
    }
}

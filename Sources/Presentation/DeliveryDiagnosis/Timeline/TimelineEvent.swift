package import Foundation

/// One event of a delivery, from one service's records.
package struct TimelineEvent: Hashable, Sendable {
    /// The service that knows of it.
    package enum Source: String, CaseIterable, Hashable, Sendable {
        case orders
        case courierETA = "courier-eta"
        case activityDispatch = "activity-dispatch"
        /// Providers' reports that `partners` forwards appear as changes of `orders`.
        case partners
    }

    package enum Kind: Hashable, Sendable {
        /// A change of the delivery itself.
        case change
        /// A milestone from an estimate.
        case milestone
        /// The newest estimate.
        case estimate
        /// The newest of the courier's phone.
        case position
        /// A push to a card.
        case push
        /// An operator's override of cards.
        case override
    }

    /// Domain time.
    package let at: Date
    package let source: Source
    package let kind: Kind
    /// The actor, such as `operator ada`; nil without one, or where unknown.
    package let by: String?
    /// The event, on one line with its actor; user-supplied text, not yet escaped for any medium.
    package let text: String
}

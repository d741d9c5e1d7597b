package import Foundation

/// One thing that happened to a delivery, as one of the services knows of it.
package struct TimelineEvent: Hashable, Sendable {
    /// The service that knows of it.
    package enum Source: String, CaseIterable, Hashable, Sendable {
        case orders
        case courierETA = "courier-eta"
        case activityDispatch = "activity-dispatch"
        /// What providers report through it are changes that `orders` knows of.
        case partners
    }

    package enum Kind: Hashable, Sendable {
        /// Of the delivery itself.
        case change
        /// That an estimate noticed.
        case milestone
        /// The newest estimate.
        case estimate
        /// The newest of the courier's phone.
        case position
        /// To a card.
        case push
        /// Of cards, by an operator.
        case override
    }

    /// Domain time.
    package let at: Date
    package let source: Source
    package let kind: Kind
    /// Who did it, such as `operator ada`; nil where nobody did, or that is not known.
    package let by: String?
    /// What happened, on one line and with who did it; as others wrote it, so not yet safe in any medium.
    package let text: String
}

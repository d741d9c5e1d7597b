import Messages
import OrderDomain

/// A delivery, with what is kept beside it and what the other services last reported about it.
struct DeliveryRecord: Sendable {
    var delivery: Delivery
    /// What the courier needs at the door; nil where the order does not say, after its retention, and where it was not
    /// read: lists and messages do without.
    var dropOff: DropOff?
    /// The newest estimate of `courier-eta`; nil before the first.
    var estimate: Estimate?
    /// The newest card health of `activity-dispatch`; nil before the first.
    var cardHealth: CardHealth?

    struct CardHealth: Hashable, Sendable {
        let count: Int
        /// Cards that do not show what they should yet.
        let behind: Int
        let reason: String?
    }
}

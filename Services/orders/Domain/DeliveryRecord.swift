import OrderDomain

/// A delivery with its row's other columns, and the other services' newest reports about it.
struct DeliveryRecord: Sendable {
    var delivery: Delivery
    /// The courier's instructions at the door; nil where the order has none, after their retention, and where they were
    /// not read: lists and messages do without.
    var dropOff: DropOff?
    /// Why the stored instructions cannot be opened; nil where they can, or there are none.
    var unreadable: PersonalDataBox.Unreadable?
    /// The customer's PIN, sealed; nil for none, after the end, and where it was not read.
    var pin: String?
    /// The newest estimate of `courier-eta`; nil before the first.
    var estimate: Estimate?
    /// The newest card health of `activity-dispatch`; nil before the first.
    var cardHealth: CardHealth?
    /// Whether its customer is or was erased: no request changes it then.
    var isErased = false

    struct CardHealth: Hashable, Sendable {
        let count: Int
        /// The number of cards whose shown state is outdated.
        let behind: Int
        let reason: String?
    }
}

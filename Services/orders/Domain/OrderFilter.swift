import Foundation
import OrderDomain

/// The filter of a list of orders; nil is no restriction.
struct OrderFilter: Sendable {
    var search: SearchTerm?
    /// Only orders changed at this domain time or later, the oldest change first; without it the newest comes first.
    var changedSince: Date?
    var store: StoreID?
    var customer: CustomerID?
    /// Only the order of this delivery, for a token of one delivery.
    var delivery: DeliveryID?
    /// The fields hidden from the reader, which the reader may not search by either.
    var restrictions = FilterRestrictions()
}

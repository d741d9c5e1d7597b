import Foundation
import OrderDomain

/// Which orders a list shows; nil is no restriction.
struct OrderFilter: Sendable {
    var search: SearchTerm?
    /// Only what has changed at this domain time or later, the oldest change first; without it the newest comes first.
    var changedSince: Date?
    var store: StoreID?
    var customer: CustomerID?
    /// Only the order of this delivery, for a token that is scoped to one.
    var delivery: DeliveryID?
    /// What the reader is not shown, and may not find by either.
    var restrictions = FilterRestrictions()
}

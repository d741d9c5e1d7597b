import OrderDomain

/// Which deliveries a list shows; nil is no restriction.
struct DeliveryFilter: Sendable {
    /// With an end, such as `delivered`, the list has recently ended deliveries; otherwise it has live ones, and those that
    /// a search finds.
    var status: StatusCode?
    var flag: Flag?
    var store: StoreID?
    var courier: CourierID?
    /// A whole one, in any case; finds what has ended too.
    var reference: OrderReference?
    var search: SearchTerm?
    var isLate = false
    var isUnassigned = false
    var customer: CustomerID?
    /// Only some, live or ended; nil for any.
    var ids: [DeliveryID]?
    /// The only delivery, for a token that is scoped to one.
    var delivery: DeliveryID?
    /// What the reader is not shown, and may not find by either.
    var restrictions = FilterRestrictions()
    /// Whether rows have the probability that the promise is missed, a figure for those who can do something about it.
    var showsMissProbability = true
}

/// What `Disclosure` keeps from a kind of reader: a list that could be filtered by it would tell it.
struct FilterRestrictions: Hashable, Sendable {
    var courierBeforePickup = false
    var customerAfterEnd = false
    /// Who opens, their phone and the address: a courier reads them of what is theirs now, and does not search by them.
    var dropOff = false
}

import OrderDomain

/// The filter of a list of deliveries; nil is no restriction.
struct DeliveryFilter: Sendable {
    /// With an end, such as `delivered`, the list contains recently ended deliveries; otherwise live ones, and the
    /// results of a search.
    var status: StatusCode?
    /// With `disputed`, the list contains recently ended deliveries too.
    var flag: Flag?
    var store: StoreID?
    var courier: CourierID?
    /// A whole reference, in any case; finds ended deliveries too.
    var reference: OrderReference?
    var search: SearchTerm?
    var isLate = false
    var isUnassigned = false
    /// Only deliveries with a card that is behind, recently ended ones too.
    var hasCardsBehind = false
    var customer: CustomerID?
    /// Only these deliveries, live or ended; nil for any.
    var ids: [DeliveryID]?
    /// The only delivery, for a token that is scoped to one.
    var delivery: DeliveryID?
    /// The fields hidden from the reader, which the reader may not search by either.
    var restrictions = FilterRestrictions()
    /// Whether rows have the probability that the promise is missed, a figure for readers who can act on it.
    var showsMissProbability = true
}

/// The fields that a kind of reader may not see: filtering a list by such a field would reveal it.
struct FilterRestrictions: Hashable, Sendable {
    var courierBeforePickup = false
    var customerAfterEnd = false
    /// The recipient, their phone and the address: a courier sees those of present deliveries, and may not search by
    /// them.
    var dropOff = false
}

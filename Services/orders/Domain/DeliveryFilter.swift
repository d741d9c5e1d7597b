import OrderDomain

/// Which deliveries a list shows; nil is no restriction.
struct DeliveryFilter: Sendable {
    /// With an end, such as `delivered`, the list has recently ended deliveries; otherwise it has live ones.
    var status: StatusCode?
    var flag: Flag?
    var store: StoreID?
    var courier: CourierID?
    var isLate = false
    var isUnassigned = false
    var customer: CustomerID?
    /// The only delivery, for a token that is scoped to one.
    var delivery: DeliveryID?
    /// Whether rows have the probability that the promise is missed, a figure for those who can do something about it.
    var showsMissProbability = true
}

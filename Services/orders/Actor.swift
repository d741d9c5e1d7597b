import OrderDomain

/// Who asks for a change, for the rules and for the record.
enum Actor: Hashable, Sendable {
    /// A customer; for all that is theirs, or for what their token is scoped to.
    case customer(CustomerID, Scope = Scope())
    /// A shop backend; for one store, or for all of its shop's.
    case store(subject: String, only: StoreID?)
    case courier(CourierID)
    case `operator`(String)
    /// One of our own services or timers, by what it noticed.
    case system(String)

    /// What a customer's token is good for; nil is everything.
    struct Scope: Hashable, Sendable {
        var store: StoreID?
        var delivery: DeliveryID?

        func includes(_ one: Delivery) -> Bool {
            (store == nil || one.store.id == store) && (delivery == nil || one.id == delivery)
        }
    }

    /// What they are, without who.
    var kind: String {
        switch self {
        case .customer: "customer"
        case .store: "store"
        case .courier: "courier"
        case .operator: "operator"
        case .system(let what): what
        }
    }

    /// How timelines name them.
    var name: String {
        switch self {
        case .customer(let id, _): "customer \(id)"
        case .store(let subject, _): "store \(subject)"
        case .courier(let id): "courier \(id)"
        case .operator(let subject): "operator \(subject)"
        case .system(let what): what
        }
    }

    /// Whether what they say of a courier holds for every store.
    var speaksForAllStores: Bool {
        switch self {
        case .operator, .system, .store(_, nil): true
        case .store, .customer, .courier: false
        }
    }

    /// Whether a delivery is theirs to see; what is not is not found.
    func sees(_ delivery: Delivery) -> Bool {
        switch self {
        case .customer(let id, let scope): delivery.customer == id && scope.includes(delivery)
        case .store(_, let only): only == nil || delivery.store.id == only
        case .courier(let id): delivery.courier?.id == id
        case .operator, .system: true
        }
    }

    /// Whether a status is theirs to set: the store's own until the bags leave, the courier's from assignment on.
    func sets(_ code: StatusCode) -> Bool {
        switch self {
        case .operator, .system, .store: true
        case .customer: false
        case .courier:
            switch code {
            case .toStore, .atStore, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning, .delivered,
                .returned:
                true
            case .placed, .accepted, .picking, .staged, .unassigned, .assigned, .cancelled, .failed: false
            }
        }
    }
}

import OrderDomain

/// Who asks for a change, for the rules and for the record.
enum Actor: Hashable, Sendable {
    case customer(CustomerID)
    /// A shop backend; for one store, or for all of its shop's.
    case store(subject: String, only: StoreID?)
    case courier(CourierID)
    case `operator`(String)
    /// One of our own services or timers, by what it noticed.
    case system(String)

    /// How timelines name them.
    var name: String {
        switch self {
        case .customer(let id): "customer \(id)"
        case .store(let subject, _): "store \(subject)"
        case .courier(let id): "courier \(id)"
        case .operator(let subject): "operator \(subject)"
        case .system(let what): what
        }
    }

    /// Whether a delivery is theirs to see; what is not is not found.
    func sees(_ delivery: Delivery) -> Bool {
        switch self {
        case .customer(let id): delivery.customer == id
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

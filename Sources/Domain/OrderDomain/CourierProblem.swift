/// A courier's reason for a stop, chosen from a list.
public enum CourierProblem: String, CaseIterable, Hashable, Sendable {
    case storeNotReady = "store_not_ready"
    case itemsMissing = "items_missing"
    case addressNotFound = "address_not_found"
    case noAccess = "no_access"
    case damaged
    case vehicle
    case unsafe

    /// The reason for operators.
    public var reason: String {
        switch self {
        case .storeNotReady: "courier: the store has not packed it"
        case .itemsMissing: "courier: something is missing from the bag"
        case .addressNotFound: "courier: the address cannot be found"
        case .noAccess: "courier: there is no way to the door"
        case .damaged: "courier: the goods are damaged"
        case .vehicle: "courier: the vehicle has broken down"
        case .unsafe: "courier: it is not safe to go on"
        }
    }

    /// Whether the courier goes on to their other stops; with a broken vehicle they do not.
    public var isOfOneStop: Bool {
        switch self {
        case .vehicle: false
        case .storeNotReady, .itemsMissing, .addressNotFound, .noAccess, .damaged, .unsafe: true
        }
    }
}

extension Delivery {
    /// The problem by which the courier has put the delivery on hold; nil without a hold, and where the shop holds it.
    public var reportedProblem: CourierProblem? {
        flags.contains(.onHold) ? CourierProblem.allCases.first { $0.reason == reason } : nil
    }
}

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

    /// The problem with this reason for operators; nil for every other text.
    init?(reason: String) {
        guard let problem = Self.allCases.first(where: { $0.reason == reason }) else { return nil }
        self = problem
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
        flags.contains(.onHold) ? reason.flatMap(CourierProblem.init(reason:)) : nil
    }

    /// Whether the courier has left the stop for others since they reported a problem there, until the hold is released,
    /// another courier gets the delivery, or it gets a further status.
    public var isLeftUndone: Bool {
        flags.contains(.onHold) && (leftUndone ?? (reportedProblem?.isOfOneStop == true))
    }

    /// Whether the courier has the goods, or fetches them from a former courier, and has the door ahead: not after an
    /// attempt or a hand-over by the courier's word, on the way back, or at a stop that was left undone.
    public var isDoorAhead: Bool {
        switch status {
        case .preparing, .handedOver(.attempted), .handedOver(.returning): false
        case .handedOver(let tail): !tail.isEnd && !isLeftUndone && proof?.handedOverAt == nil
        }
    }

    /// Counts the delivery as a stop again, as a further status or another courier does while it stays on hold.
    mutating func countAsStop() {
        if isLeftUndone { leftUndone = false }
    }
}

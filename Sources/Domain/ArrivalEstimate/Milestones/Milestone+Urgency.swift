public import OrderDomain

extension Milestone {
    /// Whether an estimate is published with it at once, without the policy's spacing.
    public var isUrgent: Bool {
        switch self {
        case .nearStore, .leftStore, .standing, .moving: false
        case .arriving, .atDoor, .silent, .reporting, .late, .onTime: true
        }
    }
}

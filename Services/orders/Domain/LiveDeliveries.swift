import OrderDomain

/// Live deliveries, counted by the conditions that page an on-call operator.
struct LiveDeliveries: Hashable, Sendable {
    /// Deliveries that are alike in everything that is counted.
    struct Group: Hashable, Sendable {
        let status: DeliveryStatus
        let flags: Set<Flag>
        let count: Int
        /// The number of late ones, and of those at risk.
        let late: Int
        let atRisk: Int
    }

    /// Contains every phase of a live delivery, so that a phase without deliveries is 0 and not missing.
    private(set) var byPhase: [Phase: Int]
    /// Without a courier, by how far the store is.
    private(set) var unassigned: [StoreStatus: Int]
    private(set) var late = 0
    private(set) var atRisk = 0
    private(set) var silent = 0

    init(_ groups: [Group]) {
        byPhase = Dictionary(uniqueKeysWithValues: Phase.allCases.filter { $0 != .ended }.map { ($0, 0) })
        unassigned = Dictionary(uniqueKeysWithValues: StoreStatus.allCases.map { ($0, 0) })
        for group in groups where !group.status.isEnded {
            byPhase[Phase(group.status, flags: group.flags), default: 0] += group.count
            if case .preparing(let store, .unassigned) = group.status { unassigned[store, default: 0] += group.count }
            if group.flags.contains(.courierSilent) { silent += group.count }
            late += group.late
            atRisk += group.atRisk
        }
    }
}

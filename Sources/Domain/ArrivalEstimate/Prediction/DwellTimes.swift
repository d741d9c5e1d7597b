/// A courier's dwell time at a stop: at a door until the handover, at a store until the pickup.
public struct DwellTimes: Hashable, Codable, Sendable {
    /// Seconds.
    var door: Double
    var store: Double
    /// The dwell in seconds by store, for stores with history.
    var stores: [String: Double]

    /// Judgement, for a service without history of its own.
    public static let builtIn = DwellTimes(door: 120, store: 240, stores: [:])

    public var doorSeconds: Double { door }

    /// - Parameter id: of the store; one without history has the value of all stores.
    public func storeSeconds(_ id: String) -> Double { stores[id] ?? store }

    var isSound: Bool {
        ([door, store] + stores.values).allSatisfy { Self.plausible.contains($0) }
    }
}

/// One completed dwell.
public struct Dwell: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Codable, Sendable {
        case door, store
    }

    public let kind: Kind
    /// The store's id; nil at a door.
    public let store: String?
    public let seconds: Double

    public init(_ kind: Kind, store: String? = nil, seconds: Double) {
        self.kind = kind
        self.store = store
        self.seconds = seconds
    }
}

extension DwellTimes {
    /// Seconds that a dwell may last; longer ones were something else, such as a break.
    public static let plausible = 0.0...3_600.0
    /// Prior strength of the constants, in dwells.
    private static let priorDwells = 20.0

    /// Medians by kind, shrunk towards the constants, and of each store, shrunk towards all stores.
    public static func fit(_ dwells: [Dwell]) -> DwellTimes {
        let dwells = dwells.filter { plausible.contains($0.seconds) }
        func shrunk(_ own: [Dwell], towards guess: Double) -> Double {
            let median = own.map { Weighted(value: $0.seconds, weight: 1) }.quantile(0.5) ?? guess
            let count = Double(own.count)
            return ((count * median + priorDwells * guess) / (count + priorDwells)).rounded(digits: 4)
        }
        let atStores = dwells.filter { $0.kind == .store }
        let store = shrunk(atStores, towards: builtIn.store)
        let byStore = Dictionary(grouping: atStores.filter { $0.store != nil }) { $0.store ?? "" }
        return DwellTimes(
            door: shrunk(dwells.filter { $0.kind == .door }, towards: builtIn.door), store: store,
            stores: byStore.mapValues { shrunk($0, towards: store) })
    }
}

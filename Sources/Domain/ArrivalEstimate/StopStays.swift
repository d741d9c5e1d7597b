import Foundation

/// How long a courier stays at a stop before going on: at a door until the bags are handed over, at a store until they
/// are the courier's.
public struct StopStays: Hashable, Codable, Sendable {
    /// Seconds.
    var door: Double
    var store: Double
    /// Of stores with history.
    var stores: [String: Double]

    /// Judgement, until a service has history of its own.
    public static let builtIn = StopStays(door: 120, store: 240, stores: [:])

    public var doorSeconds: Double { door }

    /// - Parameter id: of the store; one without history is like all of them.
    public func storeSeconds(_ id: String) -> Double { stores[id] ?? store }

    var isSound: Bool {
        ([door, store] + stores.values).allSatisfy { Self.plausible.contains($0) }
    }
}

/// One stay that is over.
public struct StopStay: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Codable, Sendable {
        case door, store
    }

    public let kind: Kind
    /// Of a store.
    public let store: String?
    public let seconds: Double

    public init(_ kind: Kind, store: String? = nil, seconds: Double) {
        self.kind = kind
        self.store = store
        self.seconds = seconds
    }
}

extension StopStays {
    /// Seconds that a stay may last; what lasts longer was something else, such as a break.
    public static let plausible = 0.0...3_600.0
    /// Stays that weigh as much as the belief in what was known before.
    private static let belief = 20.0

    /// Medians by kind, drawn to the constants, and of each store, drawn to all stores, by how few stays there were.
    public static func fit(_ stays: [StopStay]) -> StopStays {
        let stays = stays.filter { plausible.contains($0.seconds) }
        func drawn(_ own: [StopStay], to guess: Double) -> Double {
            let median = own.map { Weighted(value: $0.seconds, weight: 1) }.quantile(0.5) ?? guess
            let count = Double(own.count)
            return ((count * median + belief * guess) / (count + belief)).rounded(digits: 4)
        }
        let atStores = stays.filter { $0.kind == .store }
        let store = drawn(atStores, to: builtIn.store)
        let byStore = Dictionary(grouping: atStores.filter { $0.store != nil }) { $0.store ?? "" }
        return StopStays(
            door: drawn(stays.filter { $0.kind == .door }, to: builtIn.door), store: store,
            stores: byStore.mapValues { drawn($0, to: store) })
    }
}

public import OrderDomain

/// A distance that a courier is known to be within, as a card shows it.
///
/// A bound stays true while the courier comes nearer: a card needs no update for it.
public enum DistanceBound: Int, CaseIterable, Hashable, Sendable {
    case metres200 = 200
    case metres500 = 500
    case kilometres1 = 1_000
    case kilometres2 = 2_000
    case kilometres5 = 5_000

    /// The least bound of the straight line between two places; nil beyond the greatest one.
    public init?(from place: Coordinate, to door: Coordinate) {
        let distance = place.distance(to: door)
        guard let bound = Self.allCases.first(where: { distance < Double($0.rawValue) }) else { return nil }
        self = bound
    }

    public var metres: Int { rawValue }
}

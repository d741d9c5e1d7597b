import ArrivalEstimate
import OrderDomain

/// The distance by road, as far as it is known at the moment.
protocol RoadDistance: Sendable {
    /// The distance by road between two places; never waits, so that an update is never delayed by an engine.
    func road(from: Coordinate, to: Coordinate, by mode: TravelMode) -> KnownRoad
}

/// Metres by road.
struct KnownRoad: Hashable, Sendable {
    let metres: Double
    /// The usual metres by road for this straight distance.
    let usualMetres: Double
    /// Whether it is an engine's answer.
    var isRouted = false

    /// The distance as a multiple of the usual one; 1 without an engine's answer.
    var share: Double { usualMetres > 0 ? metres / usualMetres : 1 }
}

/// Usual distances: the straight line times the newest model's detour factor.
struct DetourFactorDistance: RoadDistance {
    var factor: @Sendable () -> DetourFactor = { .builtIn }

    func road(from: Coordinate, to: Coordinate, by mode: TravelMode) -> KnownRoad {
        let metres = factor().metres(mode, straight: from.distance(to: to))
        return KnownRoad(metres: metres, usualMetres: metres)
    }
}

import ArrivalEstimate

/// How far it is by road, as far as that is known at the moment.
protocol RoadDistance: Sendable {
    /// The way by road between two places; never waits, so that nobody who asks is late because of an engine.
    func road(from: Place, to: Place, by mode: TravelMode) -> KnownRoad
}

/// Metres by road.
struct KnownRoad: Hashable, Sendable {
    let metres: Double
    /// Metres that a way of this length usually has.
    let usualMetres: Double
    /// Whether an engine said so.
    var isRouted = false

    /// How many times the usual it is; 1 for what only the usual is known of.
    var share: Double { usualMetres > 0 ? metres / usualMetres : 1 }
}

/// Roads as they usually are: the straight line times the factor that the newest model has learned.
struct UsualRoads: RoadDistance {
    var factor: @Sendable () -> DetourFactor = { .builtIn }

    func road(from: Place, to: Place, by mode: TravelMode) -> KnownRoad {
        let metres = factor().metres(mode, straight: from.distance(to: to))
        return KnownRoad(metres: metres, usualMetres: metres)
    }
}

import OrderDomain

/// A route by road, as an engine reports it.
struct RoadAnswer: Hashable, Sendable {
    let metres: Double
    let seconds: Double
    /// Metres from the requested places to the roads that the answer begins and ends on, the longer of both.
    let snappedMetres: Double

    /// Metres of snapping beyond which the answer is rejected.
    static let snappedMetresMax = 150.0
    /// Metres by which a road may be shorter than the straight line plus the snapping distances: maps differ.
    static let slackMetres = 50.0
    /// The longest plausible road, in multiples of the straight line plus metres around a block or a river.
    static let longestShare = 5.0
    static let longestMetres = 2_000.0
    /// Metres a second, faster than any courier.
    static let speedMax = 60.0

    /// Validates an answer about these places.
    ///
    /// - Throws: why it is implausible.
    func checked(from: Coordinate, to: Coordinate) throws(RoadFault) {
        guard [metres, seconds, snappedMetres].allSatisfy({ $0.isFinite && $0 >= 0 }) else { throw .implausible }
        guard snappedMetres <= Self.snappedMetresMax else { throw .snappedTooFar }
        let straight = from.distance(to: to)
        let shortest = 0.98 * straight - 2 * snappedMetres - Self.slackMetres
        let longest = Self.longestShare * straight + Self.longestMetres
        guard metres > 0, metres >= shortest, metres <= longest, metres <= Self.speedMax * max(seconds, 1) else {
            throw .implausible
        }
    }
}

/// Why an engine's answer is not used; the raw value is the metric's label.
enum RoadFault: String, Error, CaseIterable, Hashable, Sendable {
    /// The engine knows no road between the places, which is a valid answer.
    case noRoad = "no_road"
    case snappedTooFar = "snapped_too_far"
    case implausible
    case timedOut = "timed_out"
    /// The engine is unreachable, or its answer is invalid.
    case failed

    /// Whether it is a failure of the engine rather than a property of the places.
    var isOutage: Bool {
        switch self {
        case .noRoad, .snappedTooFar, .implausible: false
        case .timedOut, .failed: true
        }
    }
}

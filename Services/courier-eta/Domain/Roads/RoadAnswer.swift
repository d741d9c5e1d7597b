import ArrivalEstimate
import Foundation
import OrderDomain

/// A route by road, as an engine reports it.
struct RoadAnswer: Hashable, Sendable {
    let metres: Double
    let seconds: Double
    /// Metres from the requested places to the roads that the answer begins and ends on, the longer of both.
    let snappedMetres: Double

    /// Metres of snapping beyond which the answer is rejected.
    static let snappedMetresMax = 150.0
    /// Metres by which a road may be shorter than the straight line beside what was snapped: maps differ.
    static let slackMetres = 50.0
    /// How many times the straight line a road may be long, beside so many metres around a block or a river.
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
    /// It knows no road between the places, which is an answer too.
    case noRoad = "no_road"
    case snappedTooFar = "snapped_too_far"
    case implausible
    case timedOut = "timed_out"
    /// It cannot be reached, or answers what no road engine answers.
    case failed

    /// Whether it is a failure of the engine rather than a property of the places.
    var isOutage: Bool {
        switch self {
        case .noRoad, .snappedTooFar, .implausible: false
        case .timedOut, .failed: true
        }
    }
}

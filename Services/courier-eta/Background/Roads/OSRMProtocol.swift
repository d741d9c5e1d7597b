import Foundation
import OrderDomain

/// The Open Source Routing Machine's HTTP API, version 1: longitude first, metres and seconds.
enum OSRMProtocol {
    /// The path and query after the engine's address.
    static func path(from: Coordinate, to: Coordinate, profile: String) -> String {
        "/route/v1/\(profile)/\(text(of: from));\(text(of: to))?overview=false&steps=false&alternatives=false"
    }

    private static func text(of place: Coordinate) -> String { "\(place.longitude.degrees),\(place.latitude.degrees)" }

    private struct Body: Decodable {
        let code: String
        let routes: [Route]?
        let waypoints: [Waypoint]?
    }

    private struct Route: Decodable {
        let distance: Double
        let duration: Double
    }

    private struct Waypoint: Decodable {
        /// Metres from the requested place to where it was snapped.
        let distance: Double
    }

    /// - Throws: `noRoad` where it reports that there is none, `failed` for an unreadable response.
    static func answer(_ body: Data) throws(RoadFault) -> RoadAnswer {
        // `failed` stands for every unreadable answer; `RoutedRoads` logs repeated failures once.
        guard let body = try? JSONDecoder().decode(Body.self, from: body) else { throw .failed }
        switch body.code {
        case "Ok": break
        case "NoRoute", "NoSegment": throw .noRoad
        default: throw .failed
        }
        guard let route = body.routes?.first, let waypoints = body.waypoints, waypoints.count == 2 else {
            throw .failed
        }
        return RoadAnswer(
            metres: route.distance, seconds: route.duration,
            snappedMetres: waypoints.map(\.distance).max() ?? .infinity)
    }
}

extension Double {
    /// Degrees as text for engines, to a tenth of a metre; independent of the locale.
    var degrees: String {
        let millionths = Int((self * 1_000_000).rounded())
        let fraction = String(abs(millionths) % 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(millionths < 0 ? "-" : "")\(abs(millionths) / 1_000_000).\(zeros)\(fraction)"
    }
}

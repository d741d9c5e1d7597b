import Foundation
import OrderDomain

/// Valhalla's HTTP API: kilometres, or miles where its response names them, and seconds.
enum ValhallaProtocol {
    static let path = "/route"

    /// The body of the request.
    static func request(from: Coordinate, to: Coordinate, costing: String) -> String {
        let ends = [from, to].map { "{\"lat\":\($0.latitude.degrees),\"lon\":\($0.longitude.degrees)}" }
        return """
            {"locations":[\(ends.joined(separator: ","))],"costing":"\(costing)","units":"kilometers",\
            "directions_type":"none"}
            """
    }

    private struct Body: Decodable {
        let trip: Trip?
        let errorCode: Int?

        enum CodingKeys: String, CodingKey {
            case trip
            case errorCode = "error_code"
        }
    }

    private struct Trip: Decodable {
        let summary: Summary
        let legs: [Leg]
        let units: String?
        let status: Int?
    }

    private struct Summary: Decodable {
        let length: Double
        let time: Double
    }

    private struct Leg: Decodable { let shape: String }

    /// Errors that are about the places: too far apart (154), in unconnected regions (170), no edges near them (171),
    /// no path between them (442).
    private static let noRoadCodes: Set = [154, 170, 171, 442]
    private static let metresByUnit = ["kilometers": 1_000.0, "miles": 1_609.344]

    /// - Parameter from: and `to`: the requested places; the response has no snapping distance, but its shape shows it.
    /// - Throws: `noRoad` where it reports that there is none, `failed` for an unreadable response.
    static func answer(_ body: Data, from: Coordinate, to: Coordinate) throws(RoadFault) -> RoadAnswer {
        // `failed` stands for every unreadable answer; `RoutedRoads` logs repeated failures once.
        guard let body = try? JSONDecoder().decode(Body.self, from: body) else { throw .failed }
        if let code = body.errorCode { throw noRoadCodes.contains(code) ? .noRoad : .failed }
        guard let trip = body.trip, trip.status ?? 0 == 0, trip.legs.count == 1,
            let metres = metresByUnit[trip.units ?? "kilometers"], let ends = ends(ofShape: trip.legs[0].shape)
        else { throw .failed }
        return RoadAnswer(
            metres: trip.summary.length * metres, seconds: trip.summary.time,
            snappedMetres: max(from.distance(to: ends.first), to.distance(to: ends.last)))
    }

    /// The first and the last point of a polyline with six digits; nil for one that is broken.
    static func ends(ofShape shape: String) -> (first: Coordinate, last: Coordinate)? {
        var (latitude, longitude) = (0, 0)
        var (first, last): (Coordinate?, Coordinate?)
        var values: [Int] = []
        var (value, shift) = (0, 0)
        for byte in shape.utf8 {
            guard (63...127).contains(byte), shift <= 30 else { return nil }
            let chunk = Int(byte) - 63
            value |= (chunk & 0x1f) << shift
            shift += 5
            guard chunk < 0x20 else { continue }
            values.append(value & 1 == 1 ? ~(value >> 1) : value >> 1)
            (value, shift) = (0, 0)
            guard values.count == 2 else { continue }
            latitude += values[0]
            longitude += values[1]
            values = []
            guard let place = Coordinate(latitude: Double(latitude) / 1e6, longitude: Double(longitude) / 1e6) else {
                return nil
            }
            first = first ?? place
            last = place
        }
        guard let first, let last, values.isEmpty, shift == 0 else { return nil }
        return (first, last)
    }
}

import Foundation
import OrderDomain
import WireCoding

extension Ride {
    /// Reads the track points of a GPX file: `<trkpt lat="…" lon="…"><time>…</time></trkpt>`; a point without a time is
    /// passed over.
    ///
    /// It reads the three things it needs and no more of XML, so nothing in a file can make it fetch or expand.
    /// - Parameter trip: the `<name>` of a track; may be nil where there is one track only.
    /// - Throws: `CommandFailure`.
    init(gpx text: String, trip: String?) throws {
        let tracks = text.matches(of: /<trk[\s>].*?<\/trk>/.dotMatchesNewlines()).map { String($0.output) }
        let chosen = trip.map { name in tracks.filter { Self.name(of: $0) == name } } ?? tracks
        guard chosen.count < 2 else {
            throw CommandFailure(.usage, "the file has \(chosen.count) tracks; choose one by name with --trip")
        }
        guard let track = chosen.first else {
            throw CommandFailure(.notFound, trip.map { "the file has no track \($0)" } ?? "the file has no track")
        }
        var fixes: [Fix] = []
        for point in track.matches(of: /<trkpt([^>]*)>(.*?)<\/trkpt>/.dotMatchesNewlines()) {
            let attributes = point.output.1
            guard let latitude = Self.number("lat", in: attributes), let longitude = Self.number("lon", in: attributes),
                let place = Coordinate(latitude: latitude, longitude: longitude)
            else { throw CommandFailure(.usage, "a track point has no lat and lon on earth: <trkpt\(attributes)>") }
            guard let said = point.output.2.firstMatch(of: /<time>\s*([^<]*?)\s*<\/time>/)?.output.1 else { continue }
            guard let time = WireJSON.date(from: String(said)) else {
                throw CommandFailure(.usage, "a track point's time is not ISO 8601: \(said)")
            }
            fixes.append(Fix(time: time, place: place, sentAt: time))
        }
        guard !fixes.isEmpty else { throw CommandFailure(.usage, "the track has no points with a time") }
        self.init(fixes: fixes.stablySorted { $0.sentAt })
    }

    private static func name(of track: String) -> String? {
        track.firstMatch(of: /<name>\s*([^<]*?)\s*<\/name>/).map { String($0.output.1) }
    }

    private static func number(_ name: String, in attributes: Substring) -> Double? {
        attributes.matches(of: /(\w+)\s*=\s*["']\s*([^"']*?)\s*["']/)
            .first { $0.output.1 == name }
            .flatMap { Double($0.output.2) }
    }
}

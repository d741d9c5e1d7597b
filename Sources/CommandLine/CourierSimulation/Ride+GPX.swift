internal import CommandOutput
internal import Foundation
internal import OrderDomain
internal import WireCoding

extension Ride {
    /// Reads the track points of a GPX file: `<trkpt lat="…" lon="…"><time>…</time></trkpt>`; a point without a time is
    /// ignored.
    ///
    /// - Parameter trip: the `<name>` of a track; may be nil where there is one track only.
    /// - Throws: `CommandFailure`.
    package init(gpx text: String, trip: String?) throws {
        let tracks = try GPXTrack.tracks(in: text)
        let chosen = trip.map { name in tracks.filter { $0.name == name } } ?? tracks
        guard chosen.count < 2 else {
            throw CommandFailure(.usage, "the file has \(chosen.count) tracks; choose one by name with --trip")
        }
        guard let track = chosen.first else {
            throw CommandFailure(.notFound, trip.map { "the file has no track \($0)" } ?? "the file has no track")
        }
        let fixes = try track.points.compactMap { try $0.fix() }
        guard !fixes.isEmpty else { throw CommandFailure(.usage, "the track has no points with a time") }
        self.init(fixes: fixes.stablySorted { $0.sentAt })
    }
}

/// A `<trk>` of a GPX file, with the text that a ride is made of.
private struct GPXTrack {
    struct Point {
        let latitude: String?
        let longitude: String?
        var time: String?

        /// Nil where the point has no time.
        func fix() throws -> Ride.Fix? {
            guard let place = place() else {
                let written = "lat=\"\(latitude ?? "")\" lon=\"\(longitude ?? "")\""
                throw CommandFailure(.usage, "a track point has no lat and lon on earth: <trkpt \(written)>")
            }
            guard let time else { return nil }
            guard let date = WireJSON.date(from: time) else {
                throw CommandFailure(.usage, "a track point's time is not ISO 8601: \(time)")
            }
            return Ride.Fix(time: date, place: place, sentAt: date)
        }

        private func place() -> Coordinate? {
            guard let latitude = latitude.flatMap(Double.init), let longitude = longitude.flatMap(Double.init) else {
                return nil
            }
            return Coordinate(latitude: latitude, longitude: longitude)
        }
    }

    var name: String?
    var points: [Point] = []

    /// - Throws: `CommandFailure` of kind usage for a file that is no XML.
    static func tracks(in text: String) throws -> [GPXTrack] {
        var scanner = XMLScanner(text)
        var tracks: [GPXTrack] = []
        var path: [String] = []
        var content = ""
        do {
            while let event = try scanner.next() {
                switch event {
                case .start(let tag, let attributes):
                    let element = localName(tag)
                    path.append(element)
                    content = ""
                    if element == "trk" { tracks.append(GPXTrack()) }
                    if element == "trkpt", path.contains("trk") {
                        tracks[tracks.count - 1].points.append(
                            Point(latitude: trimmed(attributes["lat"]), longitude: trimmed(attributes["lon"])))
                    }
                case .text(let text): content += text
                case .end:
                    if !tracks.isEmpty { tracks[tracks.count - 1].apply(trimmed(content) ?? "", at: path) }
                    path.removeLast()
                    content = ""
                }
            }
        } catch {
            throw CommandFailure(.usage, "it is no GPX: \(error)")
        }
        return tracks
    }

    /// Keeps the text of `<trk><name>` and of `<trkpt><time>`.
    private mutating func apply(_ text: String, at path: [String]) {
        switch path.suffix(2) {
        case ["trk", "name"]: name = name ?? text
        case ["trkpt", "time"] where !points.isEmpty:
            points[points.count - 1].time = points[points.count - 1].time ?? text
        default: break
        }
    }

    /// GPX is often written with a prefix for its namespace.
    private static func localName(_ tag: String) -> String {
        tag.split(separator: ":").last.map(String.init) ?? tag
    }

    private static func trimmed(_ text: String?) -> String? { text?.trimmingCharacters(in: .whitespacesAndNewlines) }
}

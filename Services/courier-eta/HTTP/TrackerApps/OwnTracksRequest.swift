import DoorstepAPI
import Foundation

/// OwnTracks in HTTP mode: one JSON object a request, distinguished by `_type`; an empty body contains no fix.
///
/// `tst` is seconds since 1970, `acc` metres, `vel` kilometres an hour, `cog` degrees.
enum OwnTracksRequest {
    private struct Message: Decodable, Sendable {
        let type: String?
        let tst: LooseNumber?
        let lat: LooseNumber?
        let lon: LooseNumber?
        let acc: LooseNumber?
        let vel: LooseNumber?
        let cog: LooseNumber?

        enum CodingKeys: String, CodingKey {
            case type = "_type"
            case tst, lat, lon, acc, vel, cog
        }
    }

    static func read(_ body: Data) -> TrackerApp.Reading {
        guard !body.isEmpty else { return .nothing }
        // `garbage` counts as one unreadable position; tracker apps read no reason.
        guard let message = try? JSONDecoder().decode(Message.self, from: body), let type = message.type else {
            return .garbage
        }
        // Waypoints, transitions, cards, dumps and commands come the same way and are not positions; an encrypted one
        // is, and cannot be read here.
        guard type == "location" else { return type == "encrypted" ? .garbage : .nothing }
        return TrackerApp.Reading(fixes: [
            RawFix(
                time: message.tst?.value.map(RawFix.Time.secondsOrMilliseconds), latitude: message.lat?.value,
                longitude: message.lon?.value, accuracy: message.acc?.value,
                speed: message.vel?.value.map(RawFix.Speed.kilometersPerHour), heading: message.cog?.value)
        ])
    }
}

import DoorstepAPI
import Foundation

/// Traccar Client 9: `{"location": {…}, "device_id": "…"}`, one position or an array of them.
///
/// `timestamp` is ISO 8601, `speed` metres a second; −1 means unknown.
enum TraccarRequest {
    private struct Body: Decodable, Sendable {
        let location: Locations?
    }

    /// One location, or an array.
    private struct Locations: Decodable, Sendable {
        let all: BoundedList<Readable<Location>>

        init(from decoder: any Decoder) throws {
            // A location that is no list is decoded as one location, which counts as unreadable where it has a fault.
            all = try (try? BoundedList(from: decoder)) ?? BoundedList(elements: [Readable(from: decoder)])
        }
    }

    private struct Location: Decodable, Sendable {
        struct Coordinates: Decodable, Sendable {
            let latitude: LooseNumber?
            let longitude: LooseNumber?
            let accuracy: LooseNumber?
            let speed: LooseNumber?
            let heading: LooseNumber?
        }

        let timestamp: LooseTime?
        let coords: Coordinates
        let mock: LooseFlag?
    }

    static func read(_ body: Data) -> TrackerApp.Reading {
        guard !body.isEmpty else { return .nothing }
        // `garbage` counts as one unreadable position; tracker apps read no reason.
        guard let whole = try? JSONDecoder().decode(Body.self, from: body), let locations = whole.location
        else { return .garbage }
        var reading = TrackerApp.Reading(hasMore: locations.all.hasMore)
        for location in locations.all.elements {
            guard let location = location.value else {
                reading.unreadable += 1
                continue
            }
            reading.fixes.append(
                RawFix(
                    time: location.timestamp?.value, latitude: location.coords.latitude?.value,
                    longitude: location.coords.longitude?.value, accuracy: location.coords.accuracy?.value,
                    speed: location.coords.speed?.value.map(RawFix.Speed.metersPerSecond),
                    heading: location.coords.heading?.value, isMock: location.mock?.value ?? false))
        }
        return reading
    }

    /// The id that the app was set up with, which is its credential where no other is valid.
    static func deviceID(in body: Data) -> String? {
        struct Device: Decodable {
            let deviceID: String

            enum CodingKeys: String, CodingKey { case deviceID = "device_id" }
        }
        // A body without an id has no credential in it, and the request is refused as unauthenticated.
        return (try? JSONDecoder().decode(Device.self, from: body))?.deviceID
    }
}

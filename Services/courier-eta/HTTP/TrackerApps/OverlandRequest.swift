import DoorstepAPI
import Foundation

/// Overland: `{"locations": [GeoJSON features]}`, up to a thousand a request, longitude first.
///
/// `timestamp` is ISO 8601 with an offset, `speed` metres a second, accuracies metres; −1 means unknown.
enum OverlandRequest {
    private struct Body: Decodable, Sendable {
        let locations: BoundedList<Readable<Feature>>
        /// The phone's present position, besides the batch of older ones.
        let current: Readable<Feature>?
    }

    private struct Feature: Decodable, Sendable {
        struct Geometry: Decodable, Sendable {
            let type: String?
            let coordinates: BoundedList<LooseNumber>
        }

        struct Properties: Decodable, Sendable {
            let type: String?
            let action: String?
            let timestamp: LooseTime?
            let speed: LooseNumber?
            let course: LooseNumber?
            let accuracy: LooseNumber?

            enum CodingKeys: String, CodingKey {
                case type, action, timestamp, speed, course
                case accuracy = "horizontal_accuracy"
            }
        }

        let geometry: Geometry?
        let properties: Properties

        /// Whether the feature is a trip summary or an action in the app: either repeats the last known place, with the
        /// time of its own writing.
        var isNote: Bool { properties.action != nil || properties.type == "trip" }
    }

    static func read(_ body: Data) -> TrackerApp.Reading {
        guard !body.isEmpty else { return .nothing }
        // `garbage` counts as one unreadable position; tracker apps read no reason.
        guard let whole = try? JSONDecoder().decode(Body.self, from: body) else { return .garbage }
        var reading = TrackerApp.Reading(hasMore: whole.locations.hasMore)
        for feature in whole.locations.elements + (whole.current.map { [$0] } ?? []) {
            if feature.value?.isNote == true { continue }
            guard let feature = feature.value, let coordinates = feature.geometry?.coordinates.elements,
                coordinates.count >= 2
            else {
                reading.unreadable += 1
                continue
            }
            let properties = feature.properties
            reading.fixes.append(
                RawFix(
                    time: properties.timestamp?.value, latitude: coordinates[1].value, longitude: coordinates[0].value,
                    accuracy: properties.accuracy?.value,
                    speed: properties.speed?.value.map(RawFix.Speed.metersPerSecond),
                    heading: properties.course?.value))
        }
        return reading
    }
}

import DoorstepAPI
import Foundation
import WireCoding

/// Our own batch: `{"fixes": [{"time", "latitude", "longitude", "accuracy"?, "speed"?, "heading"?}]}`, metres and metres
/// a second.
enum FixesRequest {
    static func read(_ body: Data) -> TrackerApp.Reading {
        // `garbage` counts as one unreadable position; tracker apps read no reason.
        guard let whole = try? WireJSON.decode(FixesBody.self, from: body) else { return .garbage }
        return reading(of: whole)
    }

    static func reading(of body: FixesBody) -> TrackerApp.Reading {
        var reading = TrackerApp.Reading(hasMore: body.hasMore)
        for fix in body.fixes {
            guard case .readable(let position) = fix else {
                reading.unreadable += 1
                continue
            }
            reading.fixes.append(
                RawFix(
                    time: .date(position.time), latitude: position.latitude, longitude: position.longitude,
                    accuracy: position.accuracy, speed: position.speed.map(RawFix.Speed.metersPerSecond),
                    heading: position.heading))
        }
        return reading
    }
}

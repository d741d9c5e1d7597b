import DoorstepAPI
import Foundation
import ServiceRuntime

/// GPSLogger's custom URL: any template, as a query, a form or JSON.
///
/// The names are those of Doorstep's profile (`GPSLoggerProfile`): `timestamp` in seconds or `time` in ISO 8601, `acc`
/// metres, `spd` metres a second or `spd_kph` kilometres an hour, `dir` degrees. The app leaves a missing value empty.
enum GPSLoggerRequest {
    private struct Body: Decodable {
        let lat: LooseNumber?
        let lon: LooseNumber?
        let timestamp: LooseTime?
        let time: LooseTime?
        let acc: LooseNumber?
        let spd: LooseNumber?
        let kilometersPerHour: LooseNumber?
        let dir: LooseNumber?

        enum CodingKeys: String, CodingKey {
            case lat, lon, timestamp, time, acc, spd, dir
            case kilometersPerHour = "spd_kph"
        }
    }

    static func read(query: FormValues, body: Data) -> TrackerApp.Reading {
        if OsmAndRequest.isJSON(body) { return read(json: body) }
        let values = OsmAndRequest.form(query: query, body: body)
        guard !values.isEmpty else { return body.isEmpty ? .nothing : .garbage }
        return TrackerApp.Reading(fixes: [
            RawFix(
                time: values.time("timestamp") ?? values.time("time"), latitude: values.number("lat"),
                longitude: values.number("lon"), accuracy: values.number("acc"),
                speed: values.number("spd").map(RawFix.Speed.metersPerSecond)
                    ?? values.number("spd_kph").map(RawFix.Speed.kilometersPerHour),
                heading: values.number("dir"))
        ])
    }

    private static func read(json: Data) -> TrackerApp.Reading {
        // `garbage` counts as one unreadable position; tracker apps read no reason.
        guard let body = try? JSONDecoder().decode(Body.self, from: json) else { return .garbage }
        return TrackerApp.Reading(fixes: [
            RawFix(
                time: body.timestamp?.value ?? body.time?.value, latitude: body.lat?.value, longitude: body.lon?.value,
                accuracy: body.acc?.value,
                speed: body.spd?.value.map(RawFix.Speed.metersPerSecond)
                    ?? body.kilometersPerHour?.value.map(RawFix.Speed.kilometersPerHour),
                heading: body.dir?.value)
        ])
    }
}

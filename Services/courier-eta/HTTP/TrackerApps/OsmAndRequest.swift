import DoorstepAPI
import Foundation
import ServiceRuntime

/// The OsmAnd protocol, which Traccar Client up to version 8 speaks too: one position as a query or a form, by any
/// method; newer clients send JSON to the same address.
///
/// `timestamp` is seconds, milliseconds or a date in UTC; `speed` is knots, as Traccar reads it. The OsmAnd app itself
/// writes metres a second, so the address that we hand out calls that `speed_mps`.
enum OsmAndRequest {
    static func read(query: FormValues, body: Data, contentType: String?) -> TrackerApp.Reading {
        let isInQuery = query.text("lat", "location") != nil
        if !isInQuery, isJSON(body, contentType) { return TraccarRequest.read(body) }
        let values = form(query: query, body: body)
        guard !values.isEmpty else { return body.isEmpty ? .nothing : .garbage }
        var latitude = values.number("lat")
        var longitude = values.number("lon")
        if latitude == nil, longitude == nil, let pair = values.text("location") {
            let sides = pair.split(separator: ",").map { LooseNumber.read($0.trimmingCharacters(in: .whitespaces)) }
            if sides.count == 2 { (latitude, longitude) = (sides[0], sides[1]) }
        }
        guard latitude != nil || longitude != nil || values.text("timestamp", "location") != nil else {
            // An alarm, or a push token, without a position; without even an id it is no request of this protocol.
            return body.isEmpty || values.text("id", "deviceid") != nil ? .nothing : .garbage
        }
        return TrackerApp.Reading(fixes: [
            RawFix(
                time: values.time("timestamp"), latitude: latitude, longitude: longitude,
                accuracy: values.number("accuracy"),
                speed: values.number("speed_mps").map(RawFix.Speed.metersPerSecond)
                    ?? values.number("speed").map(RawFix.Speed.knots),
                heading: values.number("bearing") ?? values.number("heading"),
                isMock: values.flag("mock") ?? false, isValid: values.flag("valid") ?? true)
        ])
    }

    /// The id that the app was set up with, which is its credential where the path has none.
    static func deviceID(query: FormValues, body: Data, contentType: String?) -> String? {
        if let id = query.text("id", "deviceid") { return id }
        if isJSON(body, contentType) { return TraccarRequest.deviceID(in: body) }
        return form(query: query, body: body).text("id", "deviceid")
    }

    /// The query, and the body's form where there is one.
    static func form(query: FormValues, body: Data) -> FormValues {
        var values = query
        // A form is text without blanks; anything else is not read as one.
        if let text = String(data: body, encoding: .utf8), text.contains("=") { values.add(text) }
        return values
    }

    static func isJSON(_ body: Data, _ contentType: String?) -> Bool {
        if contentType?.lowercased().hasPrefix("application/json") == true { return true }
        // Content types are often wrong; a form never begins like this.
        return body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "[")
    }
}

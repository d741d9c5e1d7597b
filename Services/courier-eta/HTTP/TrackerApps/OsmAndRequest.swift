import DoorstepAPI
import Foundation
import ServiceRuntime

/// The OsmAnd protocol, which every Traccar Client but version 9 supports too: one position as a query or a form, by
/// any method; version 9 sends JSON, to any address.
///
/// `timestamp` is seconds, milliseconds or a date in UTC; `speed` is knots, as in Traccar Client and Traccar. The
/// OsmAnd app itself writes metres a second, so Doorstep's address for it names that `speed_mps`.
/// - Source: traccar/traccar-client-sdk, `HttpUploader.kt` of 1.0; traccar/traccar, `OsmAndProtocolDecoder.java` of 6.
enum OsmAndRequest {
    static func read(query: FormValues, body: Data) -> TrackerApp.Reading {
        let isInQuery = query.text("lat", "location") != nil
        if !isInQuery, isJSON(body) { return TraccarRequest.read(body) }
        let values = form(query: query, body: body)
        guard !values.isEmpty else { return body.isEmpty ? .nothing : .garbage }
        guard values.text("lat", "lon", "location") != nil else {
            // A heartbeat, an alarm or a push token, without a position; without even an id it is no request of this
            // protocol.
            return body.isEmpty || values.text("id", "deviceid") != nil ? .nothing : .garbage
        }
        var latitude = values.number("lat")
        var longitude = values.number("lon")
        if latitude == nil, longitude == nil, let pair = values.text("location") {
            let sides = pair.split(separator: ",").map { LooseNumber.read($0) }
            if sides.count == 2 { (latitude, longitude) = (sides[0], sides[1]) }
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

    /// The id in the body that the app was set up with, which is its credential where no other is valid.
    static func deviceID(in body: Data) -> String? {
        if isJSON(body) { return TraccarRequest.deviceID(in: body) }
        return form(query: FormValues(""), body: body).text("id", "deviceid")
    }

    /// The query, and the body's form where there is one.
    static func form(query: FormValues, body: Data) -> FormValues {
        var values = query
        // A form is text without blanks; anything else is not read as one.
        if let text = String(data: body, encoding: .utf8), text.contains("=") { values.add(text) }
        return values
    }

    /// Decides by the body alone: content types are often wrong, and a form never begins like this.
    static func isJSON(_ body: Data) -> Bool {
        let first = body.first { byte in !" \t\r\n".utf8.contains(byte) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

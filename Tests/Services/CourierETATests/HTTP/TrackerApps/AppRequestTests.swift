import ArrivalEstimate
import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime
import Testing

@testable import CourierETA

@Suite("What apps send")
struct AppRequestTests {
    static func fixes(
        _ app: TrackerApp, query: String = "", body: String = ""
    ) -> FixNormaliser.Result {
        let reading = app.read(query: FormValues(query), body: Data(body.utf8))
        return FixNormaliser()(reading, receivedAt: seconds(100))
    }

    static let place = Coordinate(latitude: 55.7012, longitude: 12.5942)!

    @Test(
        "Each app's request becomes the same fix, in metres and metres a second, latitude first",
        arguments: [
            (.traccar, "", AppBodies.traccar),
            (.traccar, "", "\n  " + AppBodies.traccar),
            (.traccar, "", AppBodies.traccarTen),
            (.traccar, AppBodies.traccarEight, ""),
            (.osmAnd, "", AppBodies.traccar),
            (.osmAnd, "", AppBodies.traccarTen),
            (.osmAnd, AppBodies.traccarEight, ""),
            (.osmAnd, "", AppBodies.traccarEight),
            (.osmAnd, "", AppBodies.traccarEight.replacing("lat=", with: "lat=%20")),
            (.gpsLogger, AppBodies.gpsLogger, ""),
            (.gpsLogger, "", AppBodies.gpsLogger),
            (.gpsLogger, "", AppBodies.gpsLoggerJSON),
            (.doorstep, "", AppBodies.own),
        ] as [(TrackerApp, String, String)])
    func sameFix(app: TrackerApp, query: String, body: String) throws {
        let result = Self.fixes(app, query: query, body: body)
        #expect(result.dropped.isEmpty && result.fixes.count == 1)
        let fix = try #require(result.fixes.first)
        #expect(fix.time == AppBodies.time && fix.place == Self.place)
        #expect(fix.accuracy == 6.3 && fix.heading == 181.2)
        // Knots come rounded to hundredths.
        #expect(abs(try #require(fix.speed) - 4.5) < 0.002)
    }

    @Test("OsmAnd's own milliseconds keep their thousandths")
    func osmAnd() throws {
        let fix = try #require(Self.fixes(.osmAnd, query: AppBodies.osmAnd).fixes.first)
        #expect(abs(fix.time.timeIntervalSince(AppBodies.time) - 0.123) < 0.000_001)
        #expect(fix.speed == 4.5 && fix.accuracy == 6.3)
    }

    @Test(
        "OwnTracks says kilometres an hour; from both systems a fix is read",
        arguments: [
            (AppBodies.ownTracksIOS, 5.0, 8.0, 184.0), (AppBodies.ownTracksAndroid, 0, 11, 0),
        ] as [(String, Double, Double, Double)])
    func ownTracks(body: String, speed: Double, accuracy: Double, heading: Double) {
        let result = Self.fixes(.ownTracks, body: body)
        let fix = Fix(time: AppBodies.time, place: Self.place, accuracy: accuracy, speed: speed, heading: heading)
        #expect(result == FixNormaliser.Result(fixes: [fix]))
    }

    @Test("What OwnTracks sends beside positions is neither taken nor counted", arguments: AppBodies.ownTracksOthers)
    func ownTracksOthers(body: String) {
        #expect(Self.fixes(.ownTracks, body: body) == FixNormaliser.Result())
    }

    @Test("Overland writes longitude first, an offset without a colon, and −1 for what it does not know")
    func overland() {
        let result = Self.fixes(.overland, body: AppBodies.overland)
        #expect(
            result.fixes == [
                Fix(time: seconds(75), place: Self.place, accuracy: 10, speed: 4, heading: 180.5),
                Fix(time: seconds(90), place: Coordinate(latitude: 55.7005, longitude: 12.5942)!, accuracy: 5),
            ])
        #expect(result.dropped.isEmpty)
    }

    @Test(
        "Minus one and an empty value are nothing known",
        arguments: [
            (TrackerApp.traccar, AppBodies.traccarStill), (.gpsLogger, AppBodies.gpsLoggerStill),
        ] as [(TrackerApp, String)])
    func unknown(app: TrackerApp, body: String) throws {
        let fix = try #require(Self.fixes(app, body: body).fixes.first)
        #expect(fix.speed == nil && fix.heading == nil && fix.accuracy != nil)
    }

    @Test(
        "A position of the OsmAnd protocol may come as one value, its time as seconds, milliseconds or a date",
        arguments: [
            "location=55.7012,12.5942&timestamp=\(AppBodies.unix)",
            "lat=55.7012&lon=12.5942&timestamp=\(AppBodies.unix)000",
            "lat=55.7012&lon=12.5942&timestamp=\(AppBodies.iso)",
            "lat=55.7012&lon=12.5942&timestamp=\(AppBodies.iso.prefix(10))%20\(AppBodies.iso.dropFirst(11).prefix(8))",
            "lat=55.7012&lon=12.5942&timestamp=\(AppBodies.iso.prefix(10))+\(AppBodies.iso.dropFirst(11).prefix(8))",
        ])
    func osmAndForms(query: String) {
        let result = Self.fixes(.osmAnd, query: query)
        #expect(result == FixNormaliser.Result(fixes: [Fix(time: AppBodies.time, place: Self.place)]))
    }

    @Test(
        "A heartbeat, an alarm, or a push token, without a position is neither taken nor counted",
        arguments: [TrackerApp.osmAnd, .traccar],
        ["id=x&alarm=sos", "id=x&notificationToken=abc", AppBodies.traccarTenHeartbeat])
    func noPosition(app: TrackerApp, text: String) {
        #expect(Self.fixes(app, query: text) == FixNormaliser.Result())
        #expect(Self.fixes(app, body: text) == FixNormaliser.Result())
    }

    @Test("What Overland sends between positions is neither taken nor counted")
    func overlandNotes() {
        #expect(Self.fixes(.overland, body: AppBodies.overlandNotes) == FixNormaliser.Result())
    }

    @Test("A time of OwnTracks in milliseconds can be nothing else")
    func ownTracksMilliseconds() {
        let body = AppBodies.ownTracksIOS.replacing(#""tst":\#(AppBodies.unix)"#, with: #""tst":\#(AppBodies.unix)000"#)
        #expect(Self.fixes(.ownTracks, body: body) == Self.fixes(.ownTracks, body: AppBodies.ownTracksIOS))
    }

    @Test("What is made up, and what the phone itself calls invalid, is dropped")
    func flags() {
        let mocked = AppBodies.traccar.replacing(#""is_moving""#, with: #""mock":true,"is_moving""#)
        #expect(Self.fixes(.traccar, body: mocked).dropped == [.mock: 1])
        #expect(Self.fixes(.osmAnd, query: AppBodies.osmAnd + "&mock=true").dropped == [.mock: 1])
        #expect(Self.fixes(.osmAnd, query: AppBodies.osmAnd + "&valid=0").dropped == [.invalid: 1])
        #expect(Self.fixes(.osmAnd, query: AppBodies.osmAnd + "&valid=1&mock=0").fixes.count == 1)
    }

    @Test(
        "Garbage is one malformed thing to every app, whatever it is",
        arguments: TrackerApp.allCases,
        [
            "{", "[]", "null", "7", "\"x\"", "<xml/>", "{\"locations\":7}", "\u{0}\u{1}\u{2}",
            String(repeating: "[", count: 10_000),
        ])
    func garbage(app: TrackerApp, body: String) {
        let result = Self.fixes(app, body: body)
        #expect(result == FixNormaliser.Result(fixes: [], dropped: [.malformed: 1]), "\(app) \(body.prefix(20))")
    }

    @Test("One unreadable position does not hold up its neighbours")
    func neighbours() {
        let body = """
            {"locations":[null, 7, {"geometry":{"coordinates":[]},"properties":{}},
            {"geometry":{"coordinates":["12.5942","55.7012"]},"properties":{"timestamp":"\(AppBodies.iso)"}},
            {"geometry":{"coordinates":[12.5942,55.7012]},"properties":{"timestamp":"yesterday"}},
            {"geometry":{"coordinates":[12.5942,55.7012]},"properties":{}}]}
            """
        let result = Self.fixes(.overland, body: body)
        #expect(result.fixes == [Fix(time: AppBodies.time, place: Self.place)])
        #expect(result.dropped == [.malformed: 5])
    }
}

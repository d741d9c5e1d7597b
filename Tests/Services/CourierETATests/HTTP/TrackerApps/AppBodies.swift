import Foundation

/// Requests as the apps write them, with our own places and times in them.
///
/// Forms by the apps' own documentation and sources: OwnTracks' booklet (tech/http, tech/json), Traccar's page of the
/// OsmAnd protocol, OsmAnd's live monitoring, Overland's README, GPSLogger's custom URL.
enum AppBodies {
    /// 18:01:30 on the evening of the tests.
    static let time = seconds(90)
    static let unix = Int(time.timeIntervalSince1970)

    static let ownTracksIOS = """
        {"_type":"location","BSSID":"a4:2b:b0:00:00:01","SSID":"Nordhavn","acc":8,"alt":12,"batt":71,"bs":1,"cog":184,\
        "conn":"m","created_at":\(unix + 1),"lat":55.7012,"lon":12.5942,"m":2,"p":101.325,"t":"t","tid":"mi",\
        "topic":"owntracks/mira/phone","tst":\(unix),"vac":3,"vel":18}
        """
    static let ownTracksAndroid = """
        {"_type":"location","_id":"5f1c2b7e","acc":11,"alt":42,"batt":64,"bs":1,"cog":0,"conn":"w","created_at":\(unix),\
        "lat":55.7012,"lon":12.5942,"m":2,"t":"u","tid":"mi","topic":"owntracks/mira/pixel","tst":\(unix),"vac":2,\
        "vel":0}
        """
    /// What OwnTracks sends beside positions.
    static let ownTracksOthers = [
        "", #"{"_type":"lwt","tst":1795284090}"#,
        #"{"_type":"transition","acc":10,"desc":"Home","event":"enter","lat":55.7,"lon":12.6,"tid":"mi","tst":1795284090,"wtst":1}"#,
        #"{"_type":"waypoint","desc":"Home","lat":55.7,"lon":12.6,"rad":50,"tst":1795284090}"#,
        #"{"_type":"status","iOS":{"version":"17"}}"#, #"{"_type":"card","name":"Mira"}"#,
    ]

    static let traccar = """
        {"location":{"timestamp":"\(iso)","coords":{"latitude":55.7012,"longitude":12.5942,"accuracy":6.3,"speed":4.5,\
        "heading":181.2,"altitude":9.7},"is_moving":true,"odometer":1520.4,"event":"motionchange",\
        "battery":{"level":0.66,"is_charging":false},"activity":{"type":"on_bicycle"},"extras":{}},\
        "device_id":"DEVICE"}
        """
    static let traccarStill = """
        {"location":{"timestamp":"\(iso)","coords":{"latitude":55.7012,"longitude":12.5942,"accuracy":14,"speed":-1,\
        "heading":-1,"altitude":9},"is_moving":false,"odometer":0,"event":"heartbeat",\
        "battery":{"level":1,"is_charging":true},"activity":{"type":"still"},"extras":{}},"device_id":"DEVICE"}
        """

    /// Traccar Client up to 8 on Android; the speed is knots.
    static let traccarEight = """
        id=DEVICE&timestamp=\(unix)&lat=55.7012&lon=12.5942&speed=8.7473&bearing=181.2&altitude=9.7&accuracy=6.3&batt=66.0
        """
    /// Traccar Client 10 on both systems, sent to whatever address it is given; the speed is knots.
    static let traccarTen = """
        id=DEVICE&timestamp=\(unix)&lat=55.7012&lon=12.5942&accuracy=6.3&altitude=9.7&speed=8.75&bearing=181.2&batt=66\
        &charge=false
        """
    /// Its heartbeat while the phone lies still and has no position.
    static let traccarTenHeartbeat = "id=DEVICE&timestamp=\(unix)&batt=66&charge=true"
    /// The address that enrolment hands out, as OsmAnd fills it in: milliseconds, metres, metres a second.
    static let osmAnd =
        "lat=55.7012&lon=12.5942&timestamp=\(unix)123&accuracy=6.3&speed_mps=4.5&bearing=181.2"

    static let overland = """
        {"locations":[
          {"type":"Feature","geometry":{"type":"Point","coordinates":[12.5942,55.7012]},"properties":{
            "timestamp":"\(isoInCopenhagen(-15))","altitude":10,"speed":4,"horizontal_accuracy":10,"vertical_accuracy":-1,
            "motion":["cycling"],"pauses":false,"activity":"other_navigation","desired_accuracy":-10,"deferred":0,
            "significant_change":"disabled","locations_in_payload":2,"battery_state":"unplugged","battery_level":0.8,
            "device_id":"mira","wifi":"","course":180.5,"speed_accuracy":1}},
          {"type":"Feature","geometry":{"type":"Point","coordinates":[12.5942,55.7005]},"properties":{
            "timestamp":"\(isoInCopenhagen(0))","altitude":10,"speed":-1,"horizontal_accuracy":5,"vertical_accuracy":4,
            "motion":[],"battery_level":0.8,"device_id":"mira","wifi":"","course":-1}}
        ]}
        """

    /// What Overland sends between positions: what was done in the app, and the summary of a trip.
    static let overlandNotes = """
        {"locations":[
          {"type":"Feature","properties":{"timestamp":"\(iso)","action":"tracking_stopped","battery_level":0.8}},
          {"type":"Feature","properties":{"timestamp":"\(iso)","action":"visit","device_id":"mira"},
           "geometry":{"type":"Point","coordinates":[12.5942,55.7012]}},
          {"type":"Feature","geometry":{"type":"Point","coordinates":[12.5942,55.7012]},"properties":{
            "timestamp":"\(iso)","type":"trip","mode":"bicycle","start":"\(iso)","end":"\(iso)","duration":600}}
        ],"trip":{"mode":"bicycle","start":"\(iso)","distance":900}}
        """

    static let gpsLogger = "lat=55.7012&lon=12.5942&timestamp=\(unix)&acc=6.3&spd=4.5&dir=181.2&batt=66.0"
    /// UnexpectedStop still it knows neither speed nor direction.
    static let gpsLoggerStill = "lat=55.7012&lon=12.5942&timestamp=\(unix)&acc=6.3&spd=&dir=&batt=66.0"
    static let gpsLoggerJSON =
        #"{"lat":"55.7012","lon":"12.5942","time":"\#(iso)","acc":"6.3","spd_kph":"16.2","dir":"181.2"}"#

    static let own = """
        {"fixes":[{"time":"\(iso)","latitude":55.7012,"longitude":12.5942,"accuracy":6.3,"speed":4.5,"heading":181.2}]}
        """

    static let iso = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))

    /// Two hours east of UTC, the offset without a colon.
    static func isoInCopenhagen(_ after: Double) -> String {
        let text = time.addingTimeInterval(after + 7_200).formatted(Date.ISO8601FormatStyle())
        return text.dropLast() + "+0200"
    }
}

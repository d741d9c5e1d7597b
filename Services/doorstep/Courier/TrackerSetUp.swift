import DoorstepAPI
import Foundation

/// The set-up of a tracker app on a courier's phone: where it sends, and with which credential.
struct TrackerSetUp: Hashable, Sendable {
    let app: TrackerApp
    /// The link that the phone opens or scans; for an app without links, the text to copy into it.
    let link: String
    /// The user's steps, one a line.
    let steps: [String]

    /// Seconds between two positions on the road: enough for estimates, and acceptable for batteries.
    static let intervalSeconds = 15

    /// - Parameters:
    ///   - address: the address of `courier-eta` for phones, without a slash at the end.
    ///   - name: the app's name for its user; letters, digits, - and _.
    init(_ app: TrackerApp, address: String, token: String, name: String) {
        self.app = app
        switch app {
        case .ownTracks:
            link = Self.ownTracks(address: address, token: token, name: name)
            steps = [
                "Install OwnTracks (iOS or Android).",
                "Scan the code with the phone's camera, or open the link on the phone, and accept the configuration.",
                "Allow location access always.",
            ]
        case .overland:
            link =
                "overland://setup?url=\(Self.encoded("\(address)/ingest/overland"))&token=\(token)&device_id=\(name)"
            steps = [
                "Install Overland (iOS).",
                "Scan the code with the camera, or open the link on the phone.",
                "In the app switch tracking on, and send every \(Self.intervalSeconds) seconds.",
            ]
        case .traccar:
            link =
                "\(address)/ingest/traccar?id=\(token)&accuracy=high&interval=\(Self.intervalSeconds)&distance=0"
                + "&heartbeat=60&buffer=true&stop_detection=false"
            steps = [
                "Install Traccar Client (iOS or Android), version 9 or later.",
                "In its settings scan the code; opening the link does nothing, since it is the app that reads it.",
                "Switch continuous tracking on.",
            ]
        case .osmAnd:
            link =
                "\(address)/ingest/osmand/\(token)?lat={0}&lon={1}&timestamp={2}&accuracy={3}&speed_mps={5}&bearing={6}"
            steps = [
                "Install OsmAnd (Android) and switch the plugin Trip recording on.",
                "Scan the code with any reader and copy its text into Online tracking, Web address.",
                "Set the tracking interval to \(Self.intervalSeconds) seconds and start recording.",
            ]
        case .gpsLogger:
            link = "gpslogger://properties/\(address)/ingest/gpslogger/\(token)/doorstep.properties"
            steps = [
                "Install GPSLogger (Android).",
                "Scan the code with any reader and open the link: the app loads the profile Doorstep.",
                "Start logging.",
            ]
        case .doorstep:
            link = "\(address)/v1/fixes"
            steps = [
                "An app of your own: POST {\"fixes\": [{\"time\", \"latitude\", \"longitude\", …}]} to this address.",
                "Send the header Authorization: Bearer \(token).",
            ]
        }
    }

    /// The app's configuration in the link itself, base 64 of JSON.
    private static func ownTracks(address: String, token: String, name: String) -> String {
        struct Configuration: Encodable {
            let _type = "configuration"
            /// HTTP.
            let mode = 3
            let url: String
            let auth = true
            let username: String
            let password: String
            let deviceId: String
            /// Move: a position every so often rather than on significant changes only.
            let monitoring = 2
            let locatorInterval = TrackerSetUp.intervalSeconds
            let moveModeLocatorInterval = TrackerSetUp.intervalSeconds
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let configuration = Configuration(
            url: "\(address)/ingest/owntracks", username: name, password: token, deviceId: name)
        // A configuration of texts and whole numbers always encodes.
        let data = (try? encoder.encode(configuration)) ?? Data()
        return "owntracks:///config?inline=\(encoded(data.base64EncodedString()))"
    }

    /// A value as it may stand in a query: unreserved characters only (RFC 3986 section 2.3).
    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    /// The link as a code; nil where it is too long for any.
    var code: QRCode? { QRCode(Array(link.utf8), correction: .low) }

    /// The terminal's text: the steps, the code where it fits, and the link.
    ///
    /// - Parameter terminal: nil where the output is not a terminal, so that every code fits.
    func text(hasCode: Bool, isOnLight: Bool, on terminal: TerminalSize? = nil) -> String {
        var lines = ["\(app.title)"] + steps.enumerated().map { "  \($0.offset + 1). \($0.element)" }
        if hasCode, let code {
            let drawing = QRDrawing(code: code, isOnLight: isOnLight)
            lines += [""] + (drawing.fits(terminal) ? drawing.lines : [tooLarge(drawing)])
        }
        return (lines + ["", link]).joined(separator: "\n")
    }

    private func tooLarge(_ drawing: QRDrawing) -> String {
        "  Its code needs \(drawing.columns) columns and \(drawing.rows) rows: enlarge the terminal, send the "
            + "phone the link below, or write the code to a picture by --app \(app.rawValue) --png FILE."
    }
}

extension TrackerApp {
    /// The app by the name that its shop has.
    var title: String {
        switch self {
        case .ownTracks: "OwnTracks"
        case .traccar: "Traccar Client"
        case .osmAnd: "OsmAnd"
        case .overland: "Overland"
        case .gpsLogger: "GPSLogger"
        case .doorstep: "Your own app"
        }
    }

    /// The apps that a courier can install.
    static var installable: [TrackerApp] { allCases.filter { $0 != .doorstep } }
}

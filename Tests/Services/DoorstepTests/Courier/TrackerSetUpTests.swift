import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import Doorstep

@Suite("Setting a phone up")
struct TrackerSetUpTests {
    static let token = "dp0123456789abcdefghjkmnpqrs"
    static let address = "https://couriers.example.com"

    static func setUp(_ app: TrackerApp) -> TrackerSetUp {
        TrackerSetUp(app, address: address, token: token, name: "mira")
    }

    @Test(
        "Each link leads the app to its own route with the phone's token",
        arguments: [
            (
                .traccar,
                "https://couriers.example.com/ingest/traccar?id=\(token)&accuracy=high&interval=15&distance=0&heartbeat=60&buffer=true&stop_detection=false"
            ),
            (
                .osmAnd,
                "https://couriers.example.com/ingest/osmand/\(token)?lat={0}&lon={1}&timestamp={2}&accuracy={3}&speed_mps={5}&bearing={6}"
            ),
            (
                .overland,
                "overland://setup?url=https%3A%2F%2Fcouriers.example.com%2Fingest%2Foverland&token=\(token)&device_id=mira"
            ),
            (
                .gpsLogger,
                "gpslogger://properties/https://couriers.example.com/ingest/gpslogger/\(token)/doorstep.properties"
            ),
            (.doorstep, "https://couriers.example.com/v1/fixes"),
        ] as [(TrackerApp, String)])
    func links(app: TrackerApp, link: String) {
        #expect(Self.setUp(app).link == link)
    }

    @Test("OwnTracks' link holds its whole configuration, and survives being a query")
    func ownTracks() throws {
        let components = try #require(URLComponents(string: Self.setUp(.ownTracks).link))
        let inline = try #require(components.queryItems?.first { $0.name == "inline" }?.value)
        let data = try #require(Data(base64Encoded: inline))
        let configuration = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(components.scheme == "owntracks" && components.path == "/config")
        #expect(configuration["_type"] as? String == "configuration" && configuration["mode"] as? Int == 3)
        #expect(configuration["url"] as? String == "https://couriers.example.com/ingest/owntracks")
        #expect(configuration["username"] as? String == "mira" && configuration["password"] as? String == Self.token)
    }

    @Test("Where a code has no room, the text says what to do instead")
    func noRoom() {
        let small = TerminalSize(columns: 80, rows: 24)
        let tracker = Self.setUp(.ownTracks).text(hasCode: true, isOnLight: false, on: small)
        #expect(!tracker.contains("█") && tracker.contains("--app owntracks --png FILE"))
        let link = "https://go.nordhavn.example/c/" + String(repeating: "A", count: 60)
        let page = PageSetUp(link: link, token: Self.token).text(hasCode: true, isOnLight: false, on: small)
        #expect(!page.contains("█") && page.contains("send the phone the link below"))
    }

    @Test("Every app has steps, a link and a code that a terminal can hold", arguments: TrackerApp.allCases)
    func text(app: TrackerApp) throws {
        let setUp = Self.setUp(app)
        let text = setUp.text(hasCode: true, isOnLight: false)
        #expect(!setUp.steps.isEmpty && text.hasSuffix(setUp.link) && text.contains("█"))
        #expect(!setUp.text(hasCode: false, isOnLight: false).contains("█"))
        let code = try #require(QRCode(Array(setUp.link.utf8), correction: .low))
        #expect(code.version <= 15, "85 columns, with the border")
    }

    @Test("An address that phones cannot use is refused or warned about")
    func addresses() throws {
        #expect(try CourierEnroll.phoneAddress("https://couriers.example.com/") == Self.address)
        for text in ["couriers.example.com", "ftp://x", "https://a:b@x", "https://x?y=1", ""] {
            #expect(throws: CommandFailure.self) { try CourierEnroll.phoneAddress(text) }
        }
        #expect(CourierEnroll.warning(about: Self.address) == nil)
        #expect(CourierEnroll.warning(about: "http://couriers.example.com") != nil)
        #expect(CourierEnroll.warning(about: "http://127.0.0.1:8082") != nil)
    }

    @Test("An address with a path is refused for GPSLogger, whose profile has none, and is every other app's")
    func path() throws {
        let address = "https://shop.example/couriers"
        let failure = try #require(throws: CommandFailure.self) {
            try CourierEnroll.phoneAddress(address, for: .gpsLogger)
        }
        #expect(failure.kind == .usage && failure.message.contains("give --address of a host without a path"))
        #expect(try CourierEnroll.phoneAddress("\(Self.address)/", for: .gpsLogger) == Self.address)
        for app in TrackerApp.allCases where app != .gpsLogger {
            #expect(try CourierEnroll.phoneAddress("\(address)/", for: app) == address)
        }
        #expect(CourierEnroll.apps(at: address) == TrackerApp.installable.filter { $0 != .gpsLogger })
        #expect(CourierEnroll.apps(at: Self.address) == TrackerApp.installable)
    }
}

@Suite("Phones and duty as text")
struct CourierTextTests {
    static let now = Date(timeIntervalSince1970: 1_795_284_000)

    @Test("A phone is listed with what it is and whether it may send; nothing in a label reaches the terminal")
    func phones() throws {
        let mira = try #require(DutyBodyTests.mira)
        let phones = [
            PhoneBody(
                phone: "6b01a0e0-00000001", courier: mira, app: .overland, label: "red\u{1B}[2J", enrolledAt: Self.now,
                enrolledBy: "operator ada", revokedAt: nil, revokedBy: nil, lastSeenAt: Self.now),
            PhoneBody(
                phone: "6b01a0e0-00000002", courier: mira, app: nil, label: nil, enrolledAt: Self.now,
                enrolledBy: "courier mira", revokedAt: Self.now, revokedBy: "operator ada", lastSeenAt: nil,
                malformed: 12,
                malformedAt: Self.now),
        ]
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: Self.now)
        let lines = phones.table(times).text.split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains("Overland") && lines[1].contains("may send"))
        #expect(lines[2].contains("any") && lines[2].contains("never") && lines[2].contains("revoked 19:00:00"))
        #expect(lines[1].contains("none") && lines[2].contains("12, last 19:00:00"))
        #expect(!phones.table(times).text.contains("\u{1B}"))
        #expect([PhoneBody]().table(times).text == "no phones")
    }
}

@Suite("Duty as text")
struct DutyBodyTests {
    static let mira = CourierID(rawValue: "mira")

    @Test(
        "A duty says why and until when",
        arguments: [
            (false, nil, nil, "mira is off duty: courier-eta refuses their positions"),
            (true, .delivery, nil, "mira is on duty: they have a delivery"),
            (true, .declared, CourierTextTests.now, "mira is on duty until 19:00 Europe/Copenhagen"),
        ] as [(Bool, DutyBody.Cause?, Date?, String)])
    func duty(onDuty: Bool, because: DutyBody.Cause?, until: Date?, text: String) throws {
        let mira = try #require(Self.mira)
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: CourierTextTests.now)
        #expect(DutyBody(courier: mira, onDuty: onDuty, because: because, until: until).text(times) == text)
    }

    @Test("Whether maps may show a courier is a sentence")
    func map() throws {
        let mira = try #require(Self.mira)
        #expect(CourierMapBody(isShown: true).text(of: mira).contains("may show mira"))
        #expect(CourierMapBody(isShown: false).text(of: mira) == "no customer's map shows mira")
    }
}

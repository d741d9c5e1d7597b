import ArrivalEstimate
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import CourierETA

@Suite("Ingest", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct IngestTests {
    /// Where an app sends to, how it carries its credential and what it takes for success.
    struct App: Sendable {
        let app: TrackerApp
        var method = HTTPRequest.Method.post
        /// `TOKEN` stands for the credential.
        let uri: String
        var headers: [HTTPField.Name: String] = [.contentType: "application/json"]
        var body = ""
        let answer: String

        static let basic = "Basic TOKEN"
        static let all = [
            App(
                app: .ownTracks, uri: "/ingest/owntracks",
                headers: [.authorization: basic, .contentType: "application/json"], body: AppBodies.ownTracksIOS,
                answer: "[]"),
            App(app: .traccar, uri: "/ingest/traccar/TOKEN", body: AppBodies.traccar, answer: "OK"),
            App(
                app: .traccar, uri: "/ingest/traccar",
                body: AppBodies.traccar.replacing("DEVICE", with: "TOKEN"), answer: "OK"),
            App(
                app: .osmAnd, method: .get, uri: "/ingest/osmand/TOKEN?\(AppBodies.osmAnd)", headers: [:], answer: "OK"),
            App(
                app: .osmAnd, uri: "/ingest/osmand?\(AppBodies.traccarEight.replacing("DEVICE", with: "TOKEN"))",
                headers: [:], answer: "OK"),
            App(
                app: .osmAnd, uri: "/ingest/osmand", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: AppBodies.traccarEight.replacing("DEVICE", with: "TOKEN"), answer: "OK"),
            App(
                app: .overland, uri: "/ingest/overland",
                headers: [.authorization: "Bearer TOKEN", .contentType: "application/json"], body: AppBodies.overland,
                answer: #"{"result":"ok"}"#),
            App(
                app: .gpsLogger, uri: "/ingest/gpslogger/TOKEN",
                headers: [.contentType: "application/x-www-form-urlencoded"], body: AppBodies.gpsLogger, answer: "OK"),
            App(
                app: .gpsLogger, method: .get, uri: "/ingest/gpslogger/TOKEN?\(AppBodies.gpsLogger)", headers: [:],
                answer: "OK"),
            App(
                app: .doorstep, uri: "/v1/fixes",
                headers: [.authorization: "Bearer TOKEN", .contentType: "application/json"], body: AppBodies.own,
                answer: #"{"accepted":1,"ignored":{}}"#),
            App(
                app: .traccar, uri: "/ingest/traccar", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: AppBodies.traccarTen.replacing("DEVICE", with: "TOKEN"), answer: "OK"),
            App(
                app: .traccar, uri: "/ingest/traccar?\(AppBodies.traccarEight.replacing("DEVICE", with: "TOKEN"))",
                headers: [:], answer: "OK"),
        ]

        func send(
            _ token: String, _ client: any TestClientProtocol, body other: String? = nil, type: String? = nil
        ) async throws -> TestResponse {
            var fields = HTTPFields()
            for (name, value) in headers {
                fields[name] =
                    value == Self.basic
                    ? "Basic \(Data("mira:\(token)".utf8).base64EncodedString())"
                    : value.replacing("TOKEN", with: token)
            }
            if let type { fields[.contentType] = type }
            return try await client.execute(
                uri: uri.replacing("TOKEN", with: token), method: method, headers: fields,
                body: ByteBuffer(string: other ?? body.replacing("TOKEN", with: token)))
        }
    }

    /// Mira on duty by a delivery, at 100 s, with an enrolled phone.
    private func run(
        _ body: @escaping @Sendable (Harness, Port, any TestClientProtocol, String) async throws -> Void
    ) async throws {
        try await Port.run { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            _ = try await harness.published()
            harness.move(to: 100)
            try await body(harness, port, client, try await port.enrol("mira", client).token)
        }
    }

    private static func text(_ response: TestResponse) -> String { String(buffer: response.body) }

    @Test("Each app's own request is taken and answered as that app needs it", arguments: App.all)
    func apps(app: App) async throws {
        try await run { harness, port, client, token in
            let response = try await app.send(token, client)
            #expect(response.status == .ok && Self.text(response) == app.answer)
            let count = app.app == .overland ? 2 : 1
            #expect(port.accepted(app.app.rawValue) == count)
            let track = try await CourierRepository.track(of: mira.id, on: harness.pool)
            let age = try #require(track.latest).time.timeIntervalSince(AppBodies.time)
            #expect(abs(age) < 1)
            #expect(try await harness.published().estimates.count == 1)
        }
    }

    @Test(
        "Garbage, a wrong content type and a body of a megabyte get the app's answer and are counted",
        arguments: App.all)
    func garbage(app: App) async throws {
        guard app.method == .post, app.app != .doorstep else { return }
        try await run { harness, port, client, token in
            // Where the credential is in the body, a body without one is nobody's.
            let isInBody = app.body.contains("TOKEN")
            let bodies = ["{", "null", "\u{0}\u{7}", String(repeating: "x", count: 1_048_576)]
            for body in bodies {
                let response = try await app.send(token, client, body: body, type: "image/png")
                if isInBody {
                    #expect([401, 413].contains(response.status.code))
                } else {
                    #expect(response.status == .ok && Self.text(response) == app.answer)
                }
            }
            let isInQuery = app.uri.contains("?")
            #expect(port.dropped(app.app.rawValue, "malformed") == (isInBody || isInQuery ? 0 : bodies.count))
            #expect(try await harness.published().estimates.count == (isInQuery ? 1 : 0))
        }
    }

    @Test("A body that no app sends is answered and counted unread")
    func tooLarge() async throws {
        try await run { _, port, client, token in
            let body = String(repeating: " ", count: IngestHTTP.bodyBytesMax + 1)
            let overland = try await App.all[6].send(token, client, body: body)
            #expect(overland.status == .ok && Self.text(overland) == #"{"result":"ok"}"#)
            #expect(port.dropped("overland", "too_large") == 1)
            let own = try await App.all[9].send(token, client, body: body)
            #expect(own.status == .contentTooLarge && port.dropped("doorstep", "too_large") == 1)
        }
    }

    @Test("What follows the last position that is taken is not decoded, and counted once")
    func tooManyPositions() async throws {
        try await run { _, port, client, token in
            let body = #"{"locations":[\#(Array(repeating: "{}", count: 20_000).joined(separator: ","))]}"#
            let overland = try await App.all[6].send(token, client, body: body)
            #expect(overland.status == .ok && Self.text(overland) == #"{"result":"ok"}"#)
            #expect(port.dropped("overland", "malformed") == FixesBody.fixesMax)
            #expect(port.dropped("overland", "too_many") == 1)
        }
    }

    @Test("A body that is nested deeper than any app's is counted unread")
    func nested() async throws {
        try await run { _, port, client, token in
            let body = #"{"locations":[],"more":\#(String(repeating: "[", count: 100))"#
            let overland = try await App.all[6].send(token, client, body: body)
            #expect(overland.status == .ok && port.dropped("overland", "malformed") == 1)
        }
    }

    @Test("A phone that sends more bytes than a phone does is answered, and what it sends is dropped unread")
    func overByteRate() async throws {
        try await run { _, port, client, token in
            let body = #"{"locations":[]}"# + String(repeating: " ", count: IngestHTTP.bodyBytesMax - 16)
            for _ in 1...8 {
                let overland = try await App.all[6].send(token, client, body: body)
                #expect(overland.status == .ok)
            }
            // Four mebibytes may come at once.
            #expect(port.dropped("overland", "over_rate") == 4)
        }
    }

    @Test("A bad position never costs the app its answer, and each is counted by its reason")
    func badPositions() async throws {
        try await run { harness, port, client, token in
            func feature(_ longitude: Double, _ latitude: Double, _ time: Double, accuracy: Double = 8) -> String {
                """
                {"type":"Feature","geometry":{"type":"Point","coordinates":[\(longitude),\(latitude)]},"properties":\
                {"timestamp":"\(seconds(time).formatted(.iso8601))","horizontal_accuracy":\(accuracy)}}
                """
            }
            let features = [
                feature(12.5942, 55.7012, 80), feature(12.5942, 55.7012, 80), feature(0, 0, 81),
                feature(12.5942, 155, 82), feature(12.5942, 55.7, 2_000), feature(12.5942, 55.7, -90_000),
                feature(12.5942, 55.7, 83, accuracy: 900), feature(100, -10, 85), "7",
                // Before the courier was on duty: a private way of this morning.
                feature(12.5, 55.6, -7_200),
            ]
            let body = #"{"locations":[\#(features.joined(separator: ","))]}"#
            let response = try await App.all[6].send(token, client, body: body)
            #expect(response.status == .ok && Self.text(response) == #"{"result":"ok"}"#)
            #expect(port.accepted("overland") == 1)
            let dropped = DropReason.allCases.filter { port.dropped("overland", $0.rawValue) > 0 }
            #expect(
                Set(dropped) == [
                    .duplicate, .zero, .invalid, .future, .old, .inaccurate, .tooFast, .malformed, .offDuty,
                ])
            let rows = try await harness.pool.query("SELECT latitude FROM fixes WHERE latitude = 55.6")
            #expect(rows.isEmpty)
        }
    }

    @Test("Ten thousand positions in one request are taken, the screen hears of it once, and a further one is counted")
    func tenThousand() async throws {
        try await run { harness, port, client, token in
            harness.move(to: 10_000)
            let fixes = (0..<10_000).map { index -> String in
                let place = along(Double(index) / 20_000)
                return """
                    {"time":\(seconds(Double(index)).timeIntervalSince1970),"latitude":\(place.latitude),\
                    "longitude":\(place.longitude),"accuracy":8}
                    """
            }
            let response = try await App.all[9].send(
                token, client, body: #"{"fixes":[\#(fixes.joined(separator: ","))]}"#)
            #expect(Self.text(response) == #"{"accepted":10000,"ignored":{}}"#)
            #expect(try await harness.published().estimates.count == 1)
            let rows = try await harness.pool.query("SELECT count(*) AS kept FROM fixes")
            #expect(try rows[0].decode("kept", as: Int.self) == 10_000)
            // With a repeat among the first ten thousand, no more than these are left of them.
            let further = try await App.all[9].send(
                token, client, body: #"{"fixes":[\#(([fixes[0]] + fixes + ["7"]).joined(separator: ","))]}"#)
            let answer = try JSONDecoder().decode(FixesAnswer.self, from: Data(Self.text(further).utf8))
            #expect(answer.ignored["too_many"] == 1)
        }
    }

    @Test("An unknown phone, a revoked one, a stranger and nobody are refused, and a good one beside them is not")
    func callers() async throws {
        try await run { _, port, client, token in
            var random = SystemRandomNumberGenerator()
            let unknown = PhoneToken.generate(using: &random).text
            for app in App.all where app.method == .post {
                for wrong in [unknown, "mira", "1234567"] {
                    #expect(try await app.send(wrong, client).status == .unauthorized, "\(app.uri) \(wrong)")
                }
                #expect(try await app.send(token, client).status == .ok)
            }
            let overland = try await client.execute(
                uri: "/ingest/overland", method: .post, body: ByteBuffer(string: AppBodies.overland))
            #expect(overland.status == .unauthorized)
            let customer = try await client.execute(
                uri: "/ingest/overland", method: .post, headers: try await port.token(.customer, "mette"))
            #expect(customer.status == .notFound)
            let uri = "/ingest/osmand?\(AppBodies.traccarEight)"
            let gateways: HTTPFields = [.authorization: "Bearer a.gateways.own"]
            for header in [gateways, try await port.token(.customer, "mette")] {
                let good = try await client.execute(
                    uri: uri.replacing("DEVICE", with: token), method: .post, headers: header)
                #expect(good.status == .ok, "the app's own id counts beside another's header")
            }
            let invalid = try await client.execute(
                uri: uri.replacing("DEVICE", with: unknown), method: .post, headers: gateways)
            #expect(invalid.status == .unauthorized && Self.text(invalid).contains("\(TokenError.malformed)"))
            #expect(port.counter("doorstep_phones_refused_total", #"reason="missing""#) == 1)
            #expect(port.counter("doorstep_phones_refused_total", #"reason="role""#) == 1)
            #expect(port.counter("doorstep_phones_refused_total", #"reason="unknown""#) > 0)
        }
    }

    @Test("A courier who never moves gets no milestone of a place")
    func neverMoves() async throws {
        try await run { harness, port, client, token in
            var published: [Harness.Message] = []
            for time in stride(from: 120.0, through: 2_400, by: 30) {
                harness.move(to: time)
                let body = """
                    {"fixes":[{"time":\(seconds(time).timeIntervalSince1970),"latitude":\(storePlace.latitude),\
                    "longitude":\(storePlace.longitude),"accuracy":9,"speed":0}]}
                    """
                #expect(try await App.all[9].send(token, client, body: body).status == .ok)
                let now = try await harness.published()
                for estimate in now.estimates { #expect(estimate.estimate.arrivesAt >= seconds(time)) }
                published += now
            }
            #expect(port.accepted("doorstep") == 77 && !published.estimates.isEmpty)
            let places: Set<Milestone> = [.arriving, .atDoor, .leftStore]
            #expect(places.isDisjoint(with: published.milestones))
        }
    }

    @Test("A courier's own token works wherever a phone's does")
    func ownToken() async throws {
        try await run { _, port, client, _ in
            let token = try #require(try await port.token(.courier, "mira")[.authorization]?.dropFirst(7))
            let response = try await App.all[0].send(String(token), client)
            #expect(response.status == .ok && port.accepted("owntracks") == 1)
        }
    }

    @Test("A phone that sends far more than a phone does is answered, and what it sends is dropped and counted")
    func overRate() async throws {
        try await Port.run(phoneBurst: 3) { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            let token = try await port.enrol("mira", client).token
            let another = try await port.enrol("mira", client).token
            // A bucket of three that hardly fills.
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<200 { group.addTask { try await App.all[3].send(token, client).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == .ok })
            #expect(port.dropped("osmand", "over_rate") == 197)
            #expect(try await App.all[6].send(another, client).status == .ok)
            #expect(port.accepted("overland") == 2)
        }
    }

    @Test("No token is in a log, not of a path, a query or a header", arguments: App.all)
    func secrets(app: App) async throws {
        try await run { _, port, client, token in
            _ = try await app.send(token, client)
            _ = try await client.execute(uri: "/ingest/\(token)/osmand/\(token)/more?id=\(token)", method: .post)
            let text = port.log.all.joined(separator: "\n")
            #expect(text.contains("/ingest/…") || app.app == .doorstep)
            #expect(!text.contains(token) && !port.metrics.exposition().contains(token))
        }
    }

    @Test("GPSLogger's profile sends to the phone's own address")
    func profile() async throws {
        try await run { _, _, client, token in
            let response = try await client.execute(
                uri: "/ingest/gpslogger/\(token)/doorstep.properties", method: .get,
                headers: [HTTPField.Name("X-Forwarded-Proto")!: "https"])
            let lines = Self.text(response).split(separator: "\n")
            #expect(response.status == .ok)
            #expect(
                lines.contains {
                    $0.hasPrefix("log_customurl_url=https://") && $0.hasSuffix("/ingest/gpslogger/\(token)")
                })
            #expect(lines.contains("log_customurl_body=\(GPSLoggerProfile.template)"))
        }
    }
}

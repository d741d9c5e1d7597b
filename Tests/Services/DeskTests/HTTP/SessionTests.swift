import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WireCoding

@testable import Desk

@Suite("Who is signed in", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SessionTests {
    private static func answerEmptyBoard(_ desk: DeskUnderTest) throws {
        try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
    }

    @Test("A link of a command signs in once, with what its token is good for, and is shown before it is used")
    func link() async throws {
        try await DeskUnderTest.run { desk, client in
            try Self.answerEmptyBoard(desk)
            let token = try await desk.token("ada", scope: "dispatcher")
            let made = try await client.execute(
                uri: "/v1/sign-in-links", method: .post, headers: [.authorization: "Bearer \(token)"])
            #expect(made.status == .created)
            let body = try WireJSON.decode(SignInLinkBody.self, from: Data(made.body.readableBytesView))
            #expect(body.url.hasPrefix(DeskUnderTest.origin + "/open/") && body.lifetimeSeconds == 60)
            let path = String(body.url.dropFirst(DeskUnderTest.origin.count))

            // Whatever opens links beforehand uses nothing up.
            for _ in 0..<2 {
                let shown = try await client.execute(uri: path, method: .get)
                #expect(shown.status == .ok && shown.headers[.setCookie] == nil)
            }
            let foreign = try await client.execute(
                uri: path, method: .post, headers: [.origin: "https://elsewhere.example"])
            #expect(foreign.status == .forbidden)
            let taken = try await client.execute(
                uri: path, method: .post, headers: [.origin: DeskUnderTest.origin])
            #expect(taken.status == .seeOther && taken.headers[.location] == "/")
            let cookie = try #require(taken.headers[.setCookie])
            #expect(cookie.hasPrefix("__Host-desk=") && cookie.hasSuffix("Path=/; HttpOnly; SameSite=Lax; Secure"))
            let again = try await client.execute(uri: path, method: .post)
            #expect(again.status == .gone && again.headers[.setCookie] == nil)

            let secret = try #require(Secret(String(cookie.dropFirst("__Host-desk=".count).prefix { $0 != ";" })))
            #expect(try await desk.signIn.user(of: secret) == DeskUser(subject: "ada", role: .dispatcher))
            let page = try await BrowserByTest(client: client, secret: secret).get("/")
            #expect(page.html.contains("ada") && page.html.contains("dispatcher"))
            let kept = try await desk.pool.query("SELECT secret_hash FROM sessions")
            #expect(try kept.map { try $0.decode("secret_hash", as: [UInt8].self) } == [secret.hash])
        }
    }

    @Test("A link is good for a minute, and nobody but an operator makes one")
    func linkExpires() async throws {
        try await DeskUnderTest.run { desk, client in
            let link = try await desk.signIn.makeLink(
                for: "ada", role: .viewer,
                token: SessionToken(id: nil, keyID: nil, issuedAt: nil, expiresAt: .distantFuture))
            desk.wall.advance(by: 60)
            #expect(try await desk.signIn.redeem(link) == nil)
            let unnamed = try await client.execute(uri: "/v1/sign-in-links", method: .post)
            #expect(unnamed.status == .unauthorized)
        }
    }

    @Test(
        "A session ends half an hour after its last use, and twelve hours after it began",
        arguments: [(TimeInterval(1_799), true), (1_800, false)])
    func idle(seconds: TimeInterval, isGood: Bool) async throws {
        try await DeskUnderTest.run { desk, _ in
            let user = DeskUser(subject: "ada", role: .viewer)
            let secret = try await desk.begin(for: user)
            desk.wall.advance(by: seconds)
            #expect(try await desk.signIn.user(of: secret) == (isGood ? user : nil))
            let used = try await desk.begin(for: user)
            var minutes = 0
            while minutes < 719 {
                desk.wall.advance(by: 60)
                minutes += 1
                #expect(try await desk.signIn.user(of: used) == user)
            }
            desk.wall.advance(by: 60)
            #expect(try await desk.signIn.user(of: used) == nil)
        }
    }

    @Test(
        "A page that asks by itself does not prolong a session, one that a person opens does",
        arguments: [
            ("/couriers", "*/*", true, false), ("/couriers?reload=true", "text/html", false, false),
            ("/map/places", "*/*", false, false), ("/couriers", "text/html", false, true),
        ])
    func openPage(path: String, accept: String, isByHTMX: Bool, isUse: Bool) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try Self.answerEmptyBoard(desk)
            try desk.services.answer("courier-eta", "/v1/couriers", CouriersBody(couriers: [], next: nil))
            for _ in 1...30 {
                #expect(try await ada.get(path, accept: accept, isByHTMX: isByHTMX).0.status == .ok)
                desk.wall.advance(by: 60)
            }
            let answer = try await ada.get(path, accept: accept, isByHTMX: isByHTMX).0
            let redirect = try #require(HTTPField.Name("HX-Redirect"))
            let ended: HTTPResponse.Status = isByHTMX ? .unauthorized : .seeOther
            #expect(answer.status == (isUse ? .ok : ended))
            let entrance = answer.headers[isByHTMX ? redirect : .location]
            #expect(entrance?.hasPrefix("/sign-in?next=%2F") == (isUse ? nil : true))
        }
    }

    @Test("Without a good session a page leads to sign in and back, and a form changes nothing")
    func signedOut() async throws {
        try await DeskUnderTest.run { desk, client in
            try Self.answerEmptyBoard(desk)
            let nobody = BrowserByTest(client: client, secret: Secret())
            let page = try await nobody.get("/?store=nordhavn")
            #expect(page.0.status == .seeOther)
            #expect(page.0.headers[.location] == "/sign-in?next=%2F%3Fstore%3Dnordhavn")
            let id = SampleDeliveries.delivery().id
            let form = try await nobody.post("/deliveries/\(id)/triage", [("verb", "own"), ("version", "0")])
            #expect(form.0.status == .unauthorized && form.html.contains("Nothing was changed"))
            let stream = try await nobody.get("/now/events", accept: "text/event-stream")
            #expect(stream.0.status == .ok && stream.html == "event: over\ndata: \n\n")

            let ada = try await desk.browser(client)
            #expect(try await ada.get("/").0.status == .ok)
            let out = try await ada.post("/sign-out", [])
            #expect(out.0.status == .seeOther && out.0.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await ada.get("/").0.status == .seeOther)
        }
    }

    @Test("While the desk's database is away a page tries again by itself, and a form is sent again by its person")
    func databaseAway() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            await desk.pool.shutDown()
            let refresh = try #require(HTTPField.Name("Refresh"))
            let page = try await ada.get("/couriers")
            #expect(page.0.status == .serviceUnavailable && page.0.headers[refresh] == "5")
            #expect(page.html.contains("tries again by itself"))
            let form = try await ada.post("/bulk", [("kind", "hold")])
            #expect(form.0.status == .serviceUnavailable && form.0.headers[refresh] == nil)
            #expect(form.html.contains("Nothing was changed. Go back, and send the form again."))
            #expect(!form.html.contains("tries again by itself"))
            let path = "/open/\(Secret().text)"
            let link = try await ada.post(path, [])
            #expect(link.0.status == .serviceUnavailable && link.html.contains("database does not answer"))
            #expect(link.html.contains("action=\"\(path)\""), "the link is as good as before")
        }
    }

    @Test("A form of another site, of another session or without a token is refused")
    func forgery() async throws {
        try await DeskUnderTest.run { desk, client in
            let id = SampleDeliveries.delivery().id
            let ada = try await desk.browser(client)
            let fields = [("verb", "own"), ("version", "0")]
            let bo = try await desk.browser(client, as: "bo")
            for (form, origin) in [
                (nil, "https://elsewhere.example"), (bo.secret.formToken, DeskUnderTest.origin),
                ("", DeskUnderTest.origin), ("nonsense!", DeskUnderTest.origin),
            ] {
                let answer = try await ada.post("/deliveries/\(id)/triage", fields, form: form, from: origin)
                #expect(answer.0.status == .forbidden, "\(form ?? "own") from \(origin)")
            }
            #expect(try await desk.pool.query("SELECT 1 AS one FROM triage").isEmpty)
            #expect(try await ada.post("/deliveries/\(id)/triage", fields).0.status == .seeOther)
        }
    }

    @Test(
        "A role is refused what it may not, and is told which role may",
        arguments: [
            ("/deliveries/ID/triage", OperatorScope.viewer, "dispatcher"),
            ("/deliveries/ID/change/hold", .viewer, "dispatcher"), ("/bulk", .viewer, "dispatcher"),
            ("/deliveries/ID/call/customer", .viewer, "dispatcher"),
            ("/deliveries/ID/change/resend", .dispatcher, "supervisor"),
            ("/deliveries/ID/change/end-cards", .dispatcher, "supervisor"),
            ("/dead-letters/orders/\(UUID())/retry", .dispatcher, "supervisor"),
            ("/health/orders/republish", .dispatcher, "supervisor"),
            ("/webhooks/endpoint-1/disable", .dispatcher, "supervisor"),
        ])
    func roles(path: String, role: OperatorScope, needed: String) async throws {
        try await DeskUnderTest.run { desk, client in
            let browser = try await desk.browser(client, role: role)
            let id = SampleDeliveries.delivery().id.rawValue
            let answer = try await browser.post(path.replacing("ID", with: id), [("reason", "because")])
            #expect(answer.0.status == .forbidden)
            #expect(answer.html.contains("It takes a \(needed)"))
            #expect(desk.services.takeSent().isEmpty)
        }
    }

    @Test(
        "After a sign-in nobody is led anywhere else",
        arguments: [
            "//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)", "",
            "/a\"b", "/a b",
        ])
    func elsewhere(path: String) { #expect(DeskHTTP.ownPath(path) == "/") }
}

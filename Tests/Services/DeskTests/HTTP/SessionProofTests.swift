import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import OpenAPITesting
import OpenIDConnect
import OpenIDConnectTesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import WireCoding

@testable import Desk

@Suite("What a session ends with", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SessionProofTests {
    private static let ada = DeskUser(subject: "ada", role: .dispatcher)

    // MARK: Tokens

    @Test("A session ends with the token that it was begun with: when that expires, and when it is revoked")
    func token() async throws {
        try await DeskUnderTest.run { desk, _ in
            let short = try await desk.begin(for: Self.ada, lifetime: 3)
            let one = try await desk.begin(for: Self.ada, tokenID: "t1")
            let other = try await desk.begin(for: Self.ada, tokenID: "t2")
            desk.wall.advance(by: 2)
            #expect(try await desk.signIn.user(of: short) == Self.ada)
            desk.wall.advance(by: 1)
            #expect(try await desk.signIn.user(of: short) == nil)

            try await desk.keys.revoke(.token(id: "t1"))
            #expect(try await desk.signIn.user(of: one) == nil)
            #expect(try await desk.signIn.user(of: other) == Self.ada)
            try await desk.keys.revoke(.issued(to: "ada", role: .operator, before: desk.wall.now))
            #expect(try await desk.signIn.user(of: other) == nil)
            let later = try await desk.begin(for: Self.ada)
            #expect(try await desk.signIn.user(of: later) == Self.ada, "a token that was signed afterwards")
        }
    }

    @Test("A revoked token's link signs nobody in, and neither does one of a token that has expired")
    func link() async throws {
        try await DeskUnderTest.run { desk, _ in
            func link(_ lifetime: TimeInterval) async throws -> Secret {
                try await desk.signIn.makeLink(
                    for: "ada", role: .viewer,
                    token: SessionToken(
                        id: "t1", keyID: "admin", issuedAt: desk.wall.now,
                        expiresAt: desk.wall.now.addingTimeInterval(lifetime)))
            }
            let expired = try await link(5)
            let revoked = try await link(3_600)
            desk.wall.advance(by: 5)
            #expect(try await desk.signIn.redeem(expired) == nil)
            try await desk.keys.revoke(.token(id: "t1"))
            #expect(try await desk.signIn.redeem(revoked) == nil)
        }
    }

    @Test("A token of the desk's own makes no link, nor does one by its former key: its minute would become a session")
    func ownToken() async throws {
        try await DeskUnderTest.run { desk, client in
            for isFormer in [false, true] {
                let token = try await desk.ownToken("ada", isFormer: isFormer)
                let own = try await client.execute(
                    uri: "/v1/sign-in-links", method: .post, headers: [.authorization: "Bearer \(token)"])
                #expect(own.status == .notFound)
            }
            let another = try await client.execute(
                uri: "/v1/sign-in-links", method: .post,
                headers: [.authorization: "Bearer \(try await desk.token("ada"))"])
            #expect(another.status == .created)
        }
    }

    @Test("A page of a revoked person leads to sign in, a form of theirs changes nothing, and their streams end")
    func pages() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            let ada = try await desk.browser(client, as: "ada")
            let bo = try await desk.browser(client, as: "bo")
            #expect(try await ada.get("/").0.status == .ok)
            func open(_ browser: BrowserByTest) async throws -> StreamSlot {
                let user = try #require(try await desk.signIn.user(of: browser.secret))
                return try #require(desk.streams.open(.board, for: SignedIn(user: user, secret: browser.secret)))
            }
            let adas = try await open(ada)
            let bos = try await open(bo)
            try await desk.checks.check()
            desk.streams.notifyAll()
            #expect(await adas.signal.next() == .events)

            desk.wall.advance(by: 1)
            try await desk.keys.revoke(.issued(to: "ada", role: .operator, before: desk.wall.now))
            try await desk.checks.check()
            #expect(await adas.signal.next() == nil)
            #expect(await bos.signal.next() == .events, "nobody else's has ended")
            let page = try await ada.get("/")
            #expect(page.0.status == .seeOther && page.0.headers[.location]?.hasPrefix("/sign-in") == true)
            #expect(try await ada.get("/now/events", accept: "text/event-stream").html == "event: over\ndata: \n\n")
            let id = SampleDeliveries.delivery().id
            let form = try await ada.post("/deliveries/\(id)/triage", [("verb", "own"), ("version", "0")])
            #expect(form.0.status == .unauthorized)
            #expect(try await bo.get("/").0.status == .ok)
        }
    }

    @Test("Sessions that an older version began are good no more")
    func olderSessions() async throws {
        try await DeskUnderTest.run { desk, _ in
            let secret = Secret()
            let now = desk.wall.now
            try await desk.pool.execute(
                """
                INSERT INTO sessions (secret_hash, subject, name, role, started_at, seen_at)
                VALUES (\(secret.hash), 'ada', 'ada', 'supervisor', \(now), \(now))
                """)
            #expect(try await desk.signIn.user(of: secret) == nil)
        }
    }

    // MARK: The command's side

    @Test("A supervisor lists sessions and ends somebody's with their streams and links; others may not")
    func manage() async throws {
        try await DeskUnderTest.run { desk, client in
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            #expect(document.queryFaults { desk.http.queryParameters.names(of: $0, $1) } == [])
            let documented = DocumentedClient(client, document: document)
            func call(
                _ method: HTTPRequest.Method, _ path: String, scope: String? = nil
            ) async throws -> TestResponse {
                try await documented.execute(
                    uri: path, method: method,
                    headers: [.authorization: "Bearer \(try await desk.token("sven", scope: scope))"])
            }
            let secret = try await desk.begin(for: Self.ada, tokenID: "t1")
            let bo = try await desk.browser(client, as: "bo", role: .viewer)
            let token = SessionToken(id: nil, keyID: nil, issuedAt: nil, expiresAt: .distantFuture)
            let link = try await desk.signIn.makeLink(for: "ada", role: .viewer, token: token)
            let slot = try #require(desk.streams.open(.board, for: SignedIn(user: Self.ada, secret: secret)))
            let listed = try WireJSON.decode(
                SessionsBody.self, from: Data(try await call(.get, "/v1/sessions").body.readableBytesView)
            ).sessions
            #expect(Set(listed.map(\.subject)) == ["ada", "bo"])
            #expect(listed.first { $0.subject == "ada" }?.tokenID == "t1")

            #expect(try await call(.get, "/v1/sessions", scope: "dispatcher").status == .forbidden)
            #expect(try await call(.delete, "/v1/sessions?subject=ada", scope: "viewer").status == .forbidden)
            #expect(try await client.execute(uri: "/v1/sessions", method: .get).status == .unauthorized)
            #expect(try await call(.delete, "/v1/sessions").status == .badRequest)
            #expect(try await call(.delete, "/v1/sessions?subject=nobody").status == .notFound)
            #expect(try await call(.get, "/v1/sessions?limit=5").status == .badRequest)
            #expect(try await desk.signIn.user(of: secret) != nil)

            let ended = try await call(.delete, "/v1/sessions?subject=ada")
            #expect(
                try WireJSON.decode(EndedSessionsBody.self, from: Data(ended.body.readableBytesView)).ended == 1)
            #expect(await slot.signal.next() == nil)
            #expect(try await desk.signIn.user(of: secret) == nil)
            #expect(try await desk.signIn.redeem(link) == nil)
            #expect(try await desk.signIn.user(of: bo.secret) != nil)
        }
    }
}

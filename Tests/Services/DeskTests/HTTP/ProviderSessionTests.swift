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

@Suite("People of an identity provider", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ProviderSessionTests {
    /// A desk whose people sign in at a provider that a test answers for, with ada signed in.
    static func withProvider(
        _ prepare: @escaping @Sendable (inout ProviderByTest.State) -> Void,
        _ body: @escaping @Sendable (DeskUnderTest, ProviderByTest, Secret) async throws -> Void
    ) async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { state in prepare(&state) }
            let groups: [(name: String, role: OperatorScope)] = [
                (name: "supervisors", role: .supervisor), (name: "dispatchers", role: .dispatcher),
            ]
            let identityProvider = IdentityProvider(client, name: "login.example", groups: groups)
            try await DeskUnderTest.run(identityProvider: identityProvider) { desk, _ in
                let browser = Secret()
                let state = Secret()
                try await SessionRepository.insert(
                    .init(nonce: request.nonce, verifier: request.verifier, returnPath: "/map"), stateHash: state.hash,
                    browserHash: browser.hash, expiresAt: desk.wall.now.addingTimeInterval(60), on: desk.pool)
                let (person, path) = try await identityProvider.finish(
                    state: state.text, code: "c", issuer: nil, browser: browser, at: desk.wall.now, on: desk.pool)
                #expect(path == "/map")
                try await body(desk, provider, try await desk.signIn.begin(for: person))
            }
        }
    }

    static let inGroup = #"{"sub":"u1","preferred_username":"ada","groups":["dispatchers"]}"#

    @Test(
        "Whoever is put out of the group loses the session and its streams within a minute, by either way of asking",
        arguments: [true, false])
    func putOut(byUserInfo: Bool) async throws {
        try await Self.withProvider {
            if byUserInfo { $0.userInfo = Self.inGroup } else { $0.refreshToken = "r" }
        } _: { desk, provider, secret in
            let user = try #require(try await desk.signIn.user(of: secret))
            #expect(user.role == .dispatcher)
            let slot = try #require(desk.streams.open(.board, for: SignedIn(user: user, secret: secret)))
            // Twice, so that a refresh token that is replaced each time is kept.
            for _ in 0..<2 {
                desk.wall.advance(by: 30)
                try await desk.checks.check()
                #expect(try await desk.signIn.user(of: secret) == user)
            }
            let claims = provider.state.withLock(\.claims)
            provider.state.withLock { state in
                if byUserInfo { state.userInfo = #"{"sub":"u1","groups":["customers"]}"# }
                state.claims = { claims($0).merging(["groups": .list([])]) { $1 } }
            }
            desk.wall.advance(by: 30)
            try await desk.checks.check()
            #expect(await slot.signal.next() == nil)
            #expect(try await desk.signIn.user(of: secret) == nil)
            #expect(try await desk.pool.query("SELECT 1 AS one FROM sessions").isEmpty)
        }
    }

    @Test("Another group gives another role within a minute")
    func otherRole() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, provider, secret in
            let user = try #require(try await desk.signIn.user(of: secret))
            let slot = try #require(desk.streams.open(.board, for: SignedIn(user: user, secret: secret)))
            provider.state.withLock {
                $0.userInfo = #"{"sub":"u1","preferred_username":"ada","groups":["supervisors"]}"#
            }
            desk.wall.advance(by: 29)
            #expect(try await desk.signIn.user(of: secret)?.role == .dispatcher)
            desk.wall.advance(by: 1)
            #expect(try await desk.signIn.user(of: secret)?.role == .supervisor)
            #expect(try await desk.signIn.user(of: secret)?.role == .supervisor, "it is kept")
            try await desk.checks.check()
            #expect(await slot.signal.next() == nil, "its pages show what the former role may")
        }
    }

    @Test("While the provider does not answer a session is as it was, for a quarter of an hour")
    func outage() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, provider, secret in
            func isSignedIn(after seconds: TimeInterval) async throws -> Bool {
                desk.wall.advance(by: seconds)
                return try await desk.signIn.user(of: secret) != nil
            }
            provider.state.withLock { $0.isFailing = true }
            var good = 0
            for _ in 0..<29 where try await isSignedIn(after: 30) { good += 1 }
            let isGoodLater = try await isSignedIn(after: 30)
            provider.state.withLock { $0.isFailing = false }
            let isGoodAfterwards = try await isSignedIn(after: 30)
            #expect(good == 29 && !isGoodLater)
            #expect(isGoodAfterwards, "it was not put out")
        }
    }

    /// The sign-in of another replica on the desk's database.
    ///
    /// - Parameter pause: in place of each wait for a check that the desk makes.
    private static func replica(
        of desk: DeskUnderTest, pause: @escaping @Sendable (Duration) async throws -> Void
    ) -> SignIn {
        SignIn(
            pool: desk.pool, tokens: desk.keys.verifier,
            confirmPerson: ConfirmPerson(
                pool: desk.pool, identityProvider: desk.parts.pages.identityProvider, logger: .silent, pause: pause),
            wallNow: { [wall = desk.wall] in wall.now })
    }

    @Test("Requests of a session that comes back after a quarter of an hour share the provider's answer")
    func comesBack() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, _, secret in
            let session = try #require(try await SessionRepository.session(secretHash: secret.hash, on: desk.pool))
            desk.wall.advance(by: 16 * 60)
            let (confirm, now) = (desk.signIn.confirmPerson, desk.wall.now)
            // Both have read the session before either of them checks it.
            async let first = confirm(session, of: secret, at: now)
            async let second = confirm(session, of: secret, at: now)
            let confirmed = try await [first, second]
            #expect(confirmed.map { $0?.user.name } == ["ada", "ada"])
        }
    }

    @Test("While a replica asks the provider about who comes back, another waits for the answer and ends no stream")
    func comesBackToAnother() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, provider, secret in
            let user = try #require(try await desk.signIn.user(of: secret))
            let slot = try #require(desk.streams.open(.board, for: SignedIn(user: user, secret: secret)))
            let (questions, asked) = AsyncStream.makeStream(of: Void.self)
            let (release, releasing) = AsyncStream.makeStream(of: Void.self)
            defer { releasing.finish() }
            provider.state.withLock { state in
                state.beforeUserInfo = {
                    asked.yield()
                    for await _ in release {}
                }
            }
            desk.wall.advance(by: 16 * 60)
            let first = Task { try await desk.signIn.user(of: secret) }
            for await _ in questions { break }
            let other = Self.replica(of: desk) { _ in
                releasing.finish()
                _ = try await first.value
            }
            try await SessionChecks(streams: desk.streams, signIn: other, logger: .silent).check()
            #expect(try await other.user(of: secret) == user)
            releasing.finish()
            #expect(try await first.value == user)
            desk.streams.notifyAll()
            #expect(await slot.signal.next() == .events)
        }
    }

    @Test("A session that comes back is refused where no replica confirms it, and where it ends meanwhile")
    func staysAway() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, provider, secret in
            provider.state.withLock { $0.isFailing = true }
            desk.wall.advance(by: 16 * 60)
            let refused = try await desk.signIn.user(of: secret)
            #expect(refused == nil)
            let other = Self.replica(of: desk) { _ in }
            #expect(try await other.user(of: secret) == nil)
            let ended = Self.replica(of: desk) { _ in try await desk.signIn.end(secret) }
            #expect(try await ended.user(of: secret) == nil)
            #expect(try await desk.pool.query("SELECT 1 AS one FROM sessions").isEmpty, "it was read until its end")
        }
    }

    @Test(
        "Whoever a provider signs in is its issuer and sub, and is shown by these where their name could pass for another's",
        arguments: [
            ("mallory-42", "ada", "ada", "mallory-42"), ("mallory-42", "ada\u{202E}", nil, "mallory-42"),
            ("mallory-42", "Ada\u{200B}", nil, "mallory-42"), ("mallory-42", "\u{430}da", nil, "mallory-42"),
            ("ada", "oidc:elsewhere.example#ada", nil, "ada"), ("a#d a", "ada", "ada", "a%23d%20a"),
            ("\u{430}da", "\u{430}da", nil, "%D0%B0da"), ("auth0|5f7c", "Ada Lovelace", "Ada Lovelace", "auth0|5f7c"),
        ] as [(String, String, String?, String)])
    func identity(sub: String, userName: String, name: String?, written: String) async throws {
        try await Self.withProvider { state in
            let claims = state.claims
            state.claims = {
                claims($0).merging(["sub": .text(sub), "preferred_username": .text(userName)]) { $1 }
            }
        } _: { desk, provider, secret in
            let user = try #require(try await desk.signIn.user(of: secret))
            let issuer = provider.state.withLock { $0.issuer ?? "" }
            #expect(user.subject == "oidc:\(issuer)#\(written)")
            #expect(user.displayName?.rawValue == name && user.name == name ?? user.subject)
        }
    }

    @Test("A subject is without https, and no two of issuer and sub have the same")
    func subjects() {
        func text(_ issuer: String, _ subject: String) -> String {
            ProviderSubject(issuer: issuer, subject: subject).text
        }
        #expect(text("https://login.example.com", "u1") == "oidc:login.example.com#u1")
        #expect(text("https://a.example/x", "u1") != text("https://a.example", "x#u1"))
        #expect(text("https://a.example#x", "u1") != text("https://a.example", "x#u1"))
        #expect(text("https://a.example", "%23") != text("https://a.example", "#"))
    }

    @Test("No token makes a session with the subject of somebody at a provider")
    func foreignSubject() async throws {
        try await DeskUnderTest.run { desk, client in
            let made = try await client.execute(
                uri: "/v1/sign-in-links", method: .post,
                headers: [.authorization: "Bearer \(try await desk.token("oidc:login.example.com#u1"))"])
            #expect(made.status == .notFound)
        }
    }

    @Test("Services and pages are told a person's name beside the subject, and what is kept has the name of its time")
    func names() async throws {
        try await Self.withProvider {
            $0.userInfo = #"{"sub":"u1","preferred_username":"Ada Byron","groups":["dispatchers"]}"#
        } _: { desk, provider, secret in
            let delivery = SampleDeliveries.whole(number: 1, [])
            try desk.services.know(delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            try await desk.http.application.test(.router) { client in
                let ada = BrowserByTest(client: client, secret: secret)
                desk.wall.advance(by: 30)
                #expect(try await ada.get("/").html.contains(">Ada Byron</bdi>, dispatcher"))
                let path = "/deliveries/\(delivery.id)"
                #expect(
                    try await ada.post("\(path)/triage", [("verb", "own"), ("version", "0")]).0.status == .seeOther)
                provider.state.withLock {
                    $0.userInfo = #"{"sub":"u1","preferred_username":"Ada Lovelace","groups":["dispatchers"]}"#
                }
                desk.wall.advance(by: 30)
                _ = desk.services.takeSent()
                let page = try await ada.get(path).html
                #expect(
                    page.contains(">Ada Lovelace</bdi>, dispatcher") && page.contains(">Ada Byron</bdi>."))
                #expect(page.contains("Give up ownership"), "it is the same person")
                let issuer = provider.state.withLock { $0.issuer ?? "" }
                let sent = desk.services.takeSent().filter { $0.path.hasPrefix("/v1/deliveries/") }
                #expect(!sent.isEmpty)
                for request in sent {
                    let token = try #require(request.headers.first(name: "Authorization")?.dropFirst("Bearer ".count))
                    let identity = try await desk.keys.verifier.identity(of: String(token), at: Date())
                    #expect(identity.recordedName == "Ada Lovelace (oidc:\(issuer)#u1)")
                }
            }
        }
    }

    @Test("What stands beside another owner, whom a former version wrote, is not that one's name")
    func ownerOfFormerVersion() {
        #expect(Triage.Owner(subject: "bo", text: "Ada (oidc:x#u1)").name == "bo")
        #expect(Triage.Owner(subject: "bo", text: nil).name == "bo")
        let ada = Triage.Owner(subject: "oidc:x#u1", name: "Ada (Night)")
        #expect(Triage.Owner(subject: "oidc:x#u1", text: ada.text) == ada)
    }

    @Test(
        "Where a provider gives no way to ask again, a session ends with its ID token, and after an hour at the latest")
    func bounded() async throws {
        for (seconds, end) in [(TimeInterval(300), TimeInterval(300)), (86_400, 3_600)] {
            try await Self.withProvider { _ in
            } _: { desk, provider, secret in
                // By the test's wall clock, which is another than the provider's.
                try await desk.signIn.end(secret)
                let user = DeskUser(subject: "ada", role: .dispatcher)
                let person = IdentityProvider.Person(
                    user: user, issuer: provider.state.withLock { $0.issuer ?? "" }, subject: "u1", grant: nil,
                    expiresAt: desk.wall.now.addingTimeInterval(seconds))
                let bounded = try await desk.signIn.begin(for: person)
                var passed: TimeInterval = 0
                while passed + 60 < end {
                    desk.wall.advance(by: 60)
                    passed += 60
                    #expect(try await desk.signIn.user(of: bounded) == user)
                }
                desk.wall.advance(by: end - passed)
                #expect(try await desk.signIn.user(of: bounded) == nil)
            }
        }
    }

    @Test("While the desk's database is away a sign-in may be tried again, at its begin and when the provider answers")
    func databaseAway() async throws {
        try await Self.withProvider { _ in
        } _: { desk, _, secret in
            await desk.pool.shutDown()
            try await desk.http.application.test(.router) { client in
                let begun = try await BrowserByTest(client: client, secret: secret).post("/sign-in", [("next", "/map")])
                #expect(begun.0.status == .serviceUnavailable && begun.0.headers[.setCookie] == nil)
                #expect(begun.html.contains("database does not answer") && begun.html.contains("value=\"/map\""))
                let answered = try await client.execute(
                    uri: "/sign-in/callback?state=\(Secret().text)&code=c", method: .get,
                    headers: [.cookie: "__Host-desk-sign-in=\(Secret().text)"])
                #expect(answered.status == .serviceUnavailable && answered.headers[.setCookie] == nil)
                #expect(String(buffer: answered.body).contains("database does not answer"))
            }
        }
    }

    @Test("What the provider is asked with cannot be read out of the database, nor used with another session's secret")
    func sealed() async throws {
        try await Self.withProvider {
            $0.refreshToken = "the-refresh-token"
        } _: { desk, _, secret in
            let row = try #require(try await desk.pool.query("SELECT provider_grant FROM sessions").first)
            let sealed: [UInt8] = try row.decode("provider_grant")
            #expect(!String(decoding: sealed, as: UTF8.self).contains("the-refresh-token"))
            #expect(String(decoding: try secret.open(sealed), as: UTF8.self).contains("the-refresh-token"))
            #expect(throws: (any Error).self) { try Secret().open(sealed) }
        }
    }
}

import APIClient
import DeliveryDiagnosis
import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Desk

/// All of the desk on the test's own schema, over services that the test answers for.
struct DeskUnderTest {
    static let origin = "https://desk.nordhavn.example"

    let pool: PostgresPool
    let services = ServicesByTest()
    let client: ServiceClient
    let parts: Desk.Parts
    /// What was revoked, as the key file has it.
    let keys: KeysByTest
    let http: HTTPService
    /// Wall time, which sessions live by, and by which a page about several deliveries sends requests.
    let wall: WallByTest
    let clock: DomainClock
    /// Of tokens that people sign in with.
    private let signer: TokenSigner
    /// The desk's own.
    private let ownSigner: TokenSigner
    /// By the key that the desk's next one replaces.
    private let formerSigner: TokenSigner

    var board: LiveBoard { parts.board }
    var reader: BoardReader { parts.reader }
    var showBoard: ShowBoard { parts.pages.showBoard }
    var streams: PageStreams { parts.streams }
    var signIn: SignIn { parts.pages.signIn }
    var checks: SessionChecks { parts.checks }

    /// A key file that a test revokes tokens in.
    final class KeysByTest: Sendable {
        private final class File: Sendable { let content = Mutex(TokenKeyFile(keys: [])) }

        private let file = File()
        let verifier: TokenVerifier

        fileprivate init(_ entries: [TokenKeys.Entry]) async throws {
            let file = file
            file.content.withLock { $0.keys = entries }
            verifier = TokenVerifier(try await TokenKeys(entries)) {
                let content = file.content.withLock { $0 }
                return try await TokenKeys(content.keys, revoked: content.revoked)
            }
        }

        func revoke(_ revocation: TokenRevocation) async throws {
            file.content.withLock { $0.revoke(revocation) }
            try await verifier.reload()
        }
    }

    /// Time that a test moves.
    final class WallByTest: Sendable {
        private let time = Mutex(SampleDeliveries.placedAt)
        var now: Date { time.withLock { $0 } }
        func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    }

    /// - Parameters:
    ///   - hasPartners: whether the desk knows where `partners` is.
    ///   - identityProvider: by which people sign in.
    ///   - map: the background of the map.
    static func run(
        hasPartners: Bool = false, identityProvider: IdentityProvider? = nil, map: MapSettings = MapSettings(),
        _ body: @escaping @Sendable (DeskUnderTest, any TestClientProtocol) async throws -> Void
    ) async throws {
        let desk = try await DeskUnderTest(
            TestPostgres.current, hasPartners: hasPartners, identityProvider: identityProvider, map: map)
        try await withTeardown({ await desk.pool.shutDown() }) {
            try await desk.http.application.test(.router) { client in try await body(desk, client) }
        }
    }

    /// Runs a test in whose browser a dispatcher is signed in.
    static func runSignedIn(
        hasPartners: Bool = false,
        _ body: @escaping @Sendable (DeskUnderTest, _ ada: BrowserByTest) async throws -> Void
    ) async throws {
        try await run(hasPartners: hasPartners) { desk, client in
            try await body(desk, try await desk.browser(client))
        }
    }

    private init(
        _ database: PostgresConfiguration, hasPartners: Bool, identityProvider: IdentityProvider?, map: MapSettings
    ) async throws {
        let logger = Logger.silent
        let own = TokenKeyPair.generate(kid: "desk-2")
        let former = TokenKeyPair.generate(kid: "desk")
        let pair = TokenKeyPair.generate(kid: "admin")
        ownSigner = try await TokenSigner(kid: own.kid, privateKeyPEM: own.privateKeyPEM)
        formerSigner = try await TokenSigner(kid: former.kid, privateKeyPEM: former.privateKeyPEM)
        signer = try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM)
        keys = try await KeysByTest([own, former, pair].map { $0.entry(roles: Role.allCases) })
        pool = PostgresPool(database, logger: logger)
        try await migrate(Desk.process.migrations, schema: try #require(database.schema), on: pool)
        let wall = WallByTest()
        self.wall = wall
        clock = DomainClock(
            origin: SampleDeliveries.at(14), wallOrigin: Date(), rate: 1)
        var addresses: [TimelineEvent.Source: String] = [
            .orders: "http://orders", .courierETA: "http://courier-eta",
            .activityDispatch: "http://activity-dispatch",
        ]
        if hasPartners { addresses[.partners] = "http://partners" }
        client = ServiceClient(
            addresses: ServiceAddresses(addresses), tokens: OperatorTokens(signer: ownSigner),
            outages: ServiceOutages(clock: clock), api: APIClient(send: services.send))
        parts = Desk.Parts(
            origin: Self.origin, pool: pool, services: client, tokens: keys.verifier,
            identityProvider: identityProvider, map: map, ownKeyID: own.kid, process: "test",
            reads: PersonalReadRecorder(pool: pool, clock: clock, logger: logger), clock: clock,
            wallNow: { wall.now }, logger: logger)
        http = HTTPService(
            configuration: HTTPConfiguration(), name: "desk", openAPI: PackageResources.openapi_yaml,
            queryParameters: DeskHTTP.queryParameters, publicOrigin: Self.origin, readiness: [],
            metrics: MetricsRegistry(), tokens: keys.verifier, logger: logger,
            addRoutes: Self.pages(of: parts, by: wall).addRoutes)
    }

    private static func pages(of parts: Desk.Parts, by wall: WallByTest) -> DeskHTTP {
        var pages = parts.pages
        let (begun, wallBegun) = (ContinuousClock.now, wall.now)
        pages.wallNow = { begun.advanced(by: .seconds(wall.now.timeIntervalSince(wallBegun))) }
        return pages
    }

    /// A token that somebody signs in with; its times are of the wall clock, which the test's is years before.
    func token(
        _ subject: String, role: Role = .operator, store: String? = nil, scope: String? = nil, id: String? = nil
    ) async throws -> String {
        try await signer.sign(
            Identity(
                subject: subject, role: role, store: store, scope: scope, tokenID: id,
                expiresAt: Date().addingTimeInterval(3_600)), at: Date())
    }

    /// A token as the desk signs it for whoever is signed in.
    ///
    /// - Parameter isFormer: whether by the key before the last rotation.
    func ownToken(_ subject: String, isFormer: Bool = false) async throws -> String {
        try await (isFormer ? formerSigner : ownSigner).sign(
            Identity(subject: subject, role: .operator, expiresAt: Date().addingTimeInterval(60)), at: Date())
    }

    /// Signs somebody in by a token.
    ///
    /// - Parameter lifetime: of the token, in seconds.
    func begin(
        for user: DeskUser, tokenID: String? = nil, lifetime: TimeInterval = 86_400
    ) async throws -> Secret {
        let token = SessionToken(
            id: tokenID, keyID: "admin", issuedAt: wall.now, expiresAt: wall.now.addingTimeInterval(lifetime))
        let link = try await signIn.makeLink(for: user.subject, role: user.role, token: token)
        return try #require(try await signIn.redeem(link))
    }

    /// A browser in which somebody is signed in.
    func browser(
        _ client: any TestClientProtocol, as name: String = "ada", role: OperatorScope = .dispatcher
    ) async throws -> BrowserByTest {
        let secret = try await begin(for: DeskUser(subject: name, role: role))
        return BrowserByTest(client: client, secret: secret)
    }
}

/// A browser as the desk meets it: a cookie, and forms that are sent from the desk's own pages.
struct BrowserByTest {
    let client: any TestClientProtocol
    let secret: Secret

    /// - Parameter isByHTMX: whether htmx asks, on a page that is open.
    func get(
        _ path: String, accept: String = "text/html", isByHTMX: Bool = false
    ) async throws -> (TestResponse, html: String) {
        var headers: HTTPFields = [.accept: accept, .cookie: "__Host-desk=\(secret.text)"]
        if isByHTMX, let name = HTTPField.Name("HX-Request") { headers[name] = "true" }
        let answer = try await client.execute(uri: path, method: .get, headers: headers)
        return (answer, String(buffer: answer.body))
    }

    /// - Parameters:
    ///   - form: in place of the session's own.
    ///   - from: the origin of the page that it is on.
    func post(
        _ path: String, _ fields: [(String, String)], form: String? = nil, from origin: String = DeskUnderTest.origin
    ) async throws -> (TestResponse, html: String) {
        let encoded = ([("form", form ?? secret.formToken)] + fields).map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let answer = try await client.execute(
            uri: path, method: .post,
            headers: [
                .contentType: "application/x-www-form-urlencoded", .accept: "text/html",
                .cookie: "__Host-desk=\(secret.text)", .origin: origin,
            ], body: ByteBuffer(string: encoded.joined(separator: "&")))
        return (answer, String(buffer: answer.body))
    }
}

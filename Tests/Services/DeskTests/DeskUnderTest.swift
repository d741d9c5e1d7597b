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
    let board: BoardReader
    let streams = StreamRegistry()
    let signIn: SignIn
    let keepTriage: KeepTriage
    let http: HTTPService
    /// Wall time, which sessions live by.
    let wall: WallByTest
    let clock: DomainClock
    private let signer: TokenSigner

    /// Time that a test moves.
    final class WallByTest: Sendable {
        private let time = Mutex(SampleDeliveries.placedAt)
        var now: Date { time.withLock { $0 } }
        func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    }

    /// - Parameter hasPartners: whether the desk knows where `partners` is.
    static func run(
        hasPartners: Bool = false,
        _ body: @escaping @Sendable (DeskUnderTest, any TestClientProtocol) async throws -> Void
    ) async throws {
        let desk = try await DeskUnderTest(TestPostgres.current, hasPartners: hasPartners)
        do {
            try await desk.http.application.test(.router) { client in try await body(desk, client) }
            await desk.pool.shutDown()
        } catch {
            await desk.pool.shutDown()
            throw error
        }
    }

    private init(_ database: PostgresConfiguration, hasPartners: Bool) async throws {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let pair = TokenKeyPair.generate(kid: "desk")
        signer = try await TokenSigner(kid: "desk", privateKeyPEM: pair.privateKeyPEM)
        let keys = try await TokenKeys([pair.entry(roles: [.operator])])
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
            addresses: ServiceAddresses(addresses), tokens: OperatorTokens(signer: signer),
            outages: ServiceOutages(clock: clock), send: services.send)
        board = BoardReader(services: client, pool: pool, hub: streams, clock: clock, logger: logger)
        signIn = SignIn(pool: pool, wallNow: { wall.now })
        keepTriage = KeepTriage(pool: pool, clock: clock, board: board)
        let pages = DeskHTTP(
            origin: Self.origin, signIn: signIn, identityProvider: nil, board: board,
            readDelivery: ReadDelivery(services: client, pool: pool, clock: clock),
            change: ChangeFromDesk(services: client), keepTriage: keepTriage, services: client,
            map: MapSettings(), process: "test", clock: clock, logger: logger)
        http = HTTPService(
            configuration: HTTPConfiguration(), name: "desk", openAPI: PackageResources.openapi_yaml, readiness: [],
            metrics: MetricsRegistry(), tokens: TokenVerifier(keys), logger: logger, addRoutes: pages.addRoutes)
    }

    func token(_ subject: String, scope: String? = nil) async throws -> String {
        try await signer.sign(
            Identity(subject: subject, role: .operator, scope: scope, expiresAt: Date().addingTimeInterval(60)),
            at: Date())
    }

    /// A browser in which somebody is signed in.
    func browser(
        _ client: any TestClientProtocol, as name: String = "ada", role: OperatorScope = .dispatcher
    ) async throws -> BrowserByTest {
        let secret = try await signIn.begin(for: DeskUser(subject: name, name: name, role: role))
        return BrowserByTest(client: client, secret: secret)
    }
}

/// A browser as the desk meets it: a cookie, and forms that are sent from the desk's own pages.
struct BrowserByTest {
    let client: any TestClientProtocol
    let secret: Secret

    func get(_ path: String, accept: String = "text/html") async throws -> (TestResponse, html: String) {
        let answer = try await client.execute(
            uri: path, method: .get, headers: [.accept: accept, .cookie: "__Host-desk=\(secret.text)"])
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

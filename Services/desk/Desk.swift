import AsyncHTTPClient
import Configuration
import DomainTime
import Foundation
import NIOCore
import PostgresClient
import ProcessSettings
import ServiceLifecycle
import ServiceRuntime

/// Operators' pages: what is wrong now, each delivery's timeline and screens, and what can be done.
@main
struct Desk {
    static let process = ServiceProcess(
        name: "desk", schema: "desk",
        migrations: [
            Migration(
                number: 1, name: "desk", sql: String(decoding: PackageResources._001_desk_sql, as: UTF8.self)),
            Migration(
                number: 2, name: "session_proofs",
                sql: String(decoding: PackageResources._002_session_proofs_sql, as: UTF8.self)),
            Migration(
                number: 3, name: "owner_names",
                sql: String(decoding: PackageResources._003_owner_names_sql, as: UTF8.self)),
        ],
        defaults: ["http.port": "8084"])

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `desk.origin` | where browsers reach the desk, such as `https://desk.example.com` | required | no |
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs the other way.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(reading settings: ConfigReader, telemetry: Telemetry) async throws -> [any Service] {
        let foundation = try await ProcessFoundation(process, reading: settings, telemetry: telemetry)
        let (postgres, clock, logger) = (foundation.postgres, foundation.clock, foundation.logger)
        guard let origin = try settings.origin("desk.origin", example: "https://desk.example.com") else {
            throw ConfigurationError(
                key: "desk.origin", problem: "is not set", fix: "set it to where browsers reach the desk")
        }
        let signer = try await TokenSigner(
            kid: try settings.text("tokens.kid") ?? "desk",
            privateKeyPEM: try settings.requiredSecret("tokens.key.file"))
        let http = HTTPClientService()
        let services = ServiceClient(
            addresses: try ServiceAddresses(reading: settings), tokens: OperatorTokens(signer: signer),
            outages: ServiceOutages(clock: clock), send: ServiceClient.sending(by: http.client))
        let streams = StreamRegistry()
        let board = BoardReader(services: services, pool: postgres, hub: streams, clock: clock, logger: logger)
        let identityProvider = try IdentityProvider(reading: settings, origin: origin, client: http.client)
        let signIn = SignIn(
            pool: postgres, tokens: foundation.stack.tokens,
            confirmPerson: ConfirmPerson(pool: postgres, identityProvider: identityProvider, logger: logger),
            wallNow: { Date() })
        let pages = DeskHTTP(
            origin: origin, signIn: signIn,
            manageSessions: ManageSessions(pool: postgres, streams: streams, wallNow: { Date() }, logger: logger),
            identityProvider: identityProvider, board: board,
            readDelivery: ReadDelivery(services: services, pool: postgres, clock: clock),
            change: ChangeFromDesk(services: services),
            keepTriage: KeepTriage(pool: postgres, clock: clock, board: board), services: services,
            map: try MapSettings(reading: settings), ownKeyID: signer.kid, process: String(UUID().uuidString.prefix(8)),
            clock: clock,
            logger: logger)
        return foundation.services(
            [
                http, streams, board,
                WakeSubscription(foundation.nats, wake: { board.wake($0) }, wakeAll: { board.wakeAll() }),
                SessionChecks(streams: streams, signIn: signIn, logger: logger),
                Retention(pool: postgres, clock: clock, logger: logger),
            ],
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, publicOrigin: origin, addRoutes: pages.addRoutes))
    }
}

/// The client of everything that the desk asks, shut down behind all that use it.
final class HTTPClientService: Service {
    let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: .seconds(30)))
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}

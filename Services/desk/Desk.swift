import APIClient
import AsyncHTTPClient
import Configuration
import DomainTime
import Foundation
import Logging
import Messages
import NIOCore
import PostgresClient
import ProcessSettings
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime

/// Operators' pages: present faults, each delivery's timeline and screens, and the possible changes.
@main
struct Desk {
    static let process = ServiceProcess(
        name: "desk", schema: "desk",
        migrations: [
            Migration(1, "desk", PackageResources._001_desk_sql),
            Migration(2, "session_proofs", PackageResources._002_session_proofs_sql),
            Migration(3, "owner_names", PackageResources._003_owner_names_sql),
            Migration(number: 4, name: "erasure_parts", sql: ErasureParts.migration),
            Migration(number: 8, name: "personal_reads", sql: PersonalReadLog.migration),
        ],
        defaults: ["http.port": "8084"])

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `desk.origin` | the desk's public origin, such as `https://desk.example.com` | required | no |
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs in reverse.
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
            outages: ServiceOutages(clock: clock), api: APIClient(http.client))
        let parts = Parts(
            origin: origin, pool: postgres, services: services, tokens: foundation.stack.tokens,
            identityProvider: try IdentityProvider(reading: settings, origin: origin, client: http.client),
            map: try MapSettings(reading: settings), ownKeyID: signer.kid,
            process: String(UUID().uuidString.prefix(8)), reads: foundation.reads, clock: clock, logger: logger)
        return foundation.services(
            [
                http, parts.streams, parts.reader, WakeSubscription(nats: foundation.nats, board: parts.board),
                parts.checks,
                ErasureResponder(
                    foundation.nats, .desk, logger: logger, erase: ErasePerson(pool: postgres).callAsFunction,
                    eraseCourier: EraseCourier(pool: postgres).callAsFunction),
                ExportResponder(
                    foundation.nats, .desk, logger: logger, export: ExportPerson([ExportRecords.source(on: postgres)])),
                Retention(pool: postgres, clock: clock, times: try RetentionTimes(reading: settings), logger: logger),
            ],
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, queryParameters: DeskHTTP.queryParameters,
                publicOrigin: origin, addRoutes: parts.pages.addRoutes))
    }

    /// The use cases over one database and one clock, and the pages that call them.
    struct Parts: Sendable {
        let streams: PageStreams
        let board: LiveBoard
        let reader: BoardReader
        let checks: SessionChecks
        let pages: DeskHTTP

        init(
            origin: String, pool: PostgresPool, services: ServiceClient, tokens: TokenVerifier,
            identityProvider: IdentityProvider?, map: MapSettings, ownKeyID: String, process: String,
            reads: PersonalReadRecorder, clock: DomainClock, wallNow: @escaping @Sendable () -> Date = { Date() },
            logger: Logger
        ) {
            streams = PageStreams("pages", logger: logger)
            board = LiveBoard(streams: streams, asOf: clock.now)
            reader = BoardReader(board: board, services: services, pool: pool, clock: clock, logger: logger)
            let signIn = SignIn(
                pool: pool, tokens: tokens,
                confirmPerson: ConfirmPerson(pool: pool, identityProvider: identityProvider, logger: logger),
                wallNow: wallNow)
            checks = SessionChecks(streams: streams, signIn: signIn, logger: logger)
            pages = DeskHTTP(
                origin: origin, signIn: signIn,
                manageSessions: ManageSessions(pool: pool, streams: streams, wallNow: wallNow, logger: logger),
                identityProvider: identityProvider, board: board,
                showBoard: ShowBoard(board: board, services: services, pool: pool, clock: clock),
                readDelivery: ReadDelivery(services: services, board: board, pool: pool, clock: clock),
                change: ChangeFromDesk(services: services), changeFace: ChangeFace(services: services),
                keepTriage: KeepTriage(pool: pool, clock: clock, board: board),
                readCouriers: ReadCouriers(services: services, board: board, clock: clock),
                readEvents: ReadEvents(services: services, clock: clock), readReport: ReadReport(services: services),
                findStores: FindStores(services: services), readPartners: ReadPartners(services: services),
                changePartners: ChangePartners(services: services), probe: ServiceProbe(services: services),
                repair: RepairServices(services: services),
                requestErasures: RequestErasures(services: services),
                listReads: ListReads(services: services, own: reads.log), reads: reads, map: map,
                ownKeyID: ownKeyID, process: process, clock: clock, logger: logger)
        }
    }
}

/// The client of everything that the desk asks, shut down behind all that use it.
final class HTTPClientService: Service {
    let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: APIClient.configuration(connectTimeout: .seconds(3), readTimeout: .seconds(30)))

    func run() async throws {
        // Cancellation ends the wait too.
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}

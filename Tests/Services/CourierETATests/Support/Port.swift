import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OpenAPITesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import WireCoding

@testable import CourierETA

/// The service's port over a test's database, and tokens for it.
struct Port {
    let http: HTTPService
    let phones: PhoneCache
    let log = LogLines()
    let metrics: MetricsRegistry
    private let signer: TokenSigner
    static let pagesOrigin = "https://go.nordhavn.example"
    private static let wallNow = Date(timeIntervalSince1970: 1_795_284_000)

    init(
        pool: PostgresPool, clock: DomainClock, parts: CourierETA.Parts, phoneBurst: Int = IngestHTTP.phoneBurst
    ) async throws {
        let pair = TokenKeyPair.generate(kid: "tests")
        let tokens = TokenVerifier(try await TokenKeys([pair.entry(roles: Role.allCases)]))
        signer = try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM)
        let republisher = Republisher(
            pool: pool, name: "deliveries", readers: .readers(), logger: Logger(label: "test"),
            rows: parts.snapshotRepublisher)
        let operatorRoutes = OperatorRoutes(
            DeadLetters(pool: pool),
            reads: PersonalReadRecorder(pool: pool, clock: clock, logger: Logger(label: "test")), wakeRelay: {},
            resync: { try await republisher.republishAll() })
        let metrics = MetricsRegistry()
        let phones = PhoneCache(pool: pool, clock: clock, logger: Logger(label: "test"))
        let ingest = IngestHTTP(
            clock: clock,
            authenticator: IngestAuthenticator(
                phones: phones, tokens: tokens, metrics: metrics, wall: { Self.wallNow }),
            ingest: IngestFixes.groupCommit { try await parts.ingestFixes($0) }, metrics: metrics,
            pagesOrigin: Self.pagesOrigin, phoneBurst: phoneBurst,
            elapsed: { .zero })
        self.phones = phones
        self.metrics = metrics
        http = HTTPService(
            configuration: HTTPConfiguration(), name: "courier-eta", openAPI: CourierETA.openAPI,
            queryParameters: CourierETAHTTP.queryParameters.adding(OperatorRoutes.queryParameters), readiness: [],
            metrics: metrics, tokens: tokens, logger: log.logger, wall: { Self.wallNow },
            addOwnCredentialRoutes: ingest.addRoutes,
            addRoutes: { parts.addRoutes(to: $0, phones: phones, operatorRoutes: operatorRoutes) })
    }

    func token(
        _ role: Role, _ subject: String, store: String? = nil, delivery: String? = nil, scope: String? = nil
    ) async throws -> HTTPFields {
        let token = try await signer.sign(
            Identity(
                subject: subject, role: role, store: store, delivery: delivery, scope: scope,
                expiresAt: Self.wallNow.addingTimeInterval(600)),
            at: Self.wallNow)
        return [.authorization: "Bearer \(token)", .contentType: "application/json"]
    }
}

extension Port {
    /// Runs the body with an empty database, a clock at `start` and a client of the port.
    static func run(
        phoneBurst: Int = IngestHTTP.phoneBurst,
        _ body: @escaping @Sendable (Harness, Port, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await Harness.run { harness in
            let port = try await Port(
                pool: harness.pool, clock: harness.wall.domain, parts: harness.parts, phoneBurst: phoneBurst)
            try await port.test { client in try await body(harness, port, client) }
        }
    }

    /// Runs requests against it, each held against the OpenAPI document.
    func test(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        // Positions are accepted whatever they are like, and tests send what phones do.
        let lenient = try OpenAPIDocument(yaml: CourierETA.openAPI).operations.map(\.id).filter { $0.hasPrefix("send") }
        try await http.application.test(documentedBy: CourierETA.openAPI, lenient: Set(lenient), body)
    }

    /// Enrols a phone of a courier's.
    func enrol(_ courier: String, _ client: any TestClientProtocol) async throws -> EnrolledPhoneBody {
        let response = try await client.execute(
            uri: "/v1/couriers/\(courier)/phones", method: .post, headers: try await token(.operator, "ada"),
            body: ByteBuffer(string: "{}"))
        return try WireJSON.decode(EnrolledPhoneBody.self, from: Data(response.body.readableBytesView))
    }

    /// What a counter stands at; 0 for one that has not begun.
    func counter(_ name: String, _ labels: String) -> Int {
        let line = metrics.exposition().split(separator: "\n").first { $0.hasPrefix("\(name){\(labels)} ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? 0
    }

    /// Dropped positions of an app by reason.
    func dropped(_ app: String, _ reason: String) -> Int {
        counter("doorstep_fixes_ignored_total", "app=\"\(app)\",reason=\"\(reason)\"")
    }

    func accepted(_ app: String) -> Int { counter("doorstep_fixes_accepted_total", "app=\"\(app)\"") }
}

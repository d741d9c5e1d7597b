import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Messages
import NIOCore
import OpenAPITesting
import OrderDomain
import PostgresClient
import ProviderSamples
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import TextCoding
import WireCoding

@testable import Partners

/// All of `partners` on the test's own schema, with clocks that the test advances, without a broker, and with receivers
/// that the test answers for.
struct PartnersUnderTest {
    static let start = Date(timeIntervalSince1970: 1_795_284_000)
    /// The sender's clock of durations, by which no receiver is slow, however busy the machine is.
    private static let standstill = ContinuousClock.now

    let pool: PostgresPool
    let clock: ManualClock
    /// The time of the cache of sources, which moves only while a change of a source waits for that cache.
    let cacheTime = ManualClock(PartnersUnderTest.start)
    let box: SecretBox
    let parts: Partners.Parts
    let receivers = ReceiversByTest()
    let orders = VersionsByTest()
    let http: HTTPService
    let reads: PersonalReadRecorder
    let metrics = MetricsRegistry()
    private let signer: TokenSigner

    /// Runs a test with it, and closes its connections afterwards.
    static func run(
        _ body: @escaping @Sendable (PartnersUnderTest, any TestClientProtocol) async throws -> Void
    ) async throws {
        let subject = try await PartnersUnderTest(database: TestPostgres.current)
        try await withTeardown({ await subject.pool.shutDown() }) {
            try await subject.http.application.test(
                documentedBy: PackageResources.openapi_yaml, lenient: ["receiveWebhook", "fetchSourceToken"]
            ) { client in try await body(subject, client) }
        }
    }

    private init(database: PostgresConfiguration) async throws {
        let logger = Logger.silent
        let pair = TokenKeyPair.generate(kid: "test")
        signer = try await TokenSigner(kid: "test", privateKeyPEM: pair.privateKeyPEM)
        let keys = try await TokenKeys([pair.entry(roles: Role.allCases)])
        pool = PostgresPool(database, logger: logger)
        try await migrate(Partners.process.migrations, schema: try #require(database.schema), on: pool)
        clock = ManualClock(Self.start)
        box = try SecretBox(keys: [1: Array(repeating: 7, count: 32)], encrypting: 1)
        let (pool, clock, box) = (pool, clock, box)
        parts = Partners.Parts(
            pool: pool, clock: clock.domain, box: box, outbox: UnreadOutbox(), allowsPrivate: true,
            missedVersions: MissedVersions(logger: logger, request: orders.answer), logger: logger,
            elapsed: { Self.standstill }, post: receivers.post)
        let cacheTime = self.cacheTime
        let sources = SourceCache(
            pool: pool, box: box, logger: logger,
            elapsed: { .seconds(cacheTime.now.timeIntervalSince(Self.start)) },
            sleep: { cacheTime.advance(by: Double($0.components.seconds)) })
        let inbound = InboundHTTP(
            sources: sources, receive: parts.receive, clock: clock.domain, metrics: metrics, logger: logger,
            wallNow: { clock.domain.now },
            elapsed: { .seconds(clock.now.timeIntervalSince(Self.start)) })
        let republisher = Republisher(
            pool: pool, name: "reports", readers: .readers(), logger: logger,
            rows: ReportRepublisher(clock: clock.domain))
        reads = PersonalReadRecorder(pool: pool, clock: clock.domain, logger: logger)
        let routes = parts.routes(
            origin: "https://partners.nordhavn.example", sources: sources,
            operatorRoutes: OperatorRoutes(
                DeadLetters(pool: pool, messageDaysMax: RetentionTimes().deliveriesDays), reads: reads, wakeRelay: {},
                resync: { try await republisher.republishAll() }))
        http = HTTPService(
            configuration: HTTPConfiguration(), name: "partners", openAPI: PackageResources.openapi_yaml,
            queryParameters: PartnersHTTP.queryParameters.adding(OperatorRoutes.queryParameters), readiness: [],
            metrics: metrics, tokens: TokenVerifier(keys), logger: logger,
            addOwnCredentialRoutes: inbound.addRoutes, addRoutes: routes.addRoutes)
    }

    // MARK: Replicas

    /// The use cases of another process on the same database.
    ///
    /// - Parameter box: its keys, where they differ from ours.
    func replica(
        _ configuration: EventSender.Configuration = .init(), box other: SecretBox? = nil
    ) -> Partners.Parts {
        Partners.Parts(
            pool: pool, clock: clock.domain, box: other ?? box, outbox: UnreadOutbox(), allowsPrivate: true,
            missedVersions: MissedVersions(logger: .silent, request: orders.answer), logger: .silent,
            configuration: configuration, elapsed: { Self.standstill }, post: receivers.post)
    }

    // MARK: Requests

    func token(
        _ role: Role, _ subject: String, store: String? = nil, delivery: String? = nil, scope: String? = nil
    ) async throws -> String {
        try await signer.sign(
            Identity(
                subject: subject, role: role, store: store, delivery: delivery, scope: scope,
                expiresAt: Date().addingTimeInterval(600)),
            at: Date())
    }

    /// - Parameter store: the only store that the token is good for.
    func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, as role: Role? = .operator,
        store: String? = nil, scope: String? = nil, _ body: (some Encodable)? = NoBody?.none
    ) async throws -> TestResponse {
        var fields: HTTPFields = [:]
        if body != nil { fields[.contentType] = "application/json" }
        if let role {
            fields[.authorization] = "Bearer \(try await token(role, "ada", store: store, scope: scope))"
        }
        return try await client.execute(
            uri: path, method: method, headers: fields,
            body: try body.map { ByteBuffer(bytes: try WireJSON.encode($0)) })
    }

    /// Makes a source of a provider, with a secret of which the test knows.
    func addSource(
        _ client: any TestClientProtocol, _ provider: DeliveryProvider, id: String? = nil, store: StoreID? = nil,
        acceptsTest: Bool? = nil
    ) async throws -> (id: String, secret: String) {
        let (id, secret) = (id ?? provider.rawValue, ProviderProof.sampleSecret(of: provider))
        let response = try await send(
            client, .put, "/v1/sources/\(id)",
            PutSourceBody(provider: provider.rawValue, store: store, secret: secret, acceptsTest: acceptsTest))
        #expect(response.status == .created, "\(String(buffer: response.body))")
        return (id, secret)
    }

    /// Adds an endpoint of the shop, which is sent events.
    ///
    /// - Parameters:
    ///   - events: nil for every event.
    ///   - store: the store whose deliveries' events it gets.
    ///   - tokenStore: the store that adds it; nil for an operator.
    @discardableResult
    func addEndpoint(
        _ client: any TestClientProtocol, url: String = "http://shop.example/hooks",
        events: [WebhookEventType]? = nil, store: StoreID? = nil, signature: NewEndpointBody.SignatureVersion? = nil,
        tokenStore: String? = nil
    ) async throws -> EndpointBody {
        let response = try await send(
            client, .post, "/v1/webhooks", as: tokenStore == nil ? .operator : .store, store: tokenStore,
            NewEndpointBody(url: url, events: events, store: store, signature: signature))
        #expect(response.status == .created, "\(String(buffer: response.body))")
        return try response.decode()
    }

    /// Posts a webhook as its provider would.
    ///
    /// - Parameters:
    ///   - signed: the bytes that the proof is made of, where they differ from the body.
    ///   - wall: the sender's time, where it differs from ours.
    func post(
        _ client: any TestClientProtocol, _ body: String, from provider: DeliveryProvider,
        _ source: (id: String, secret: String), signed: String? = nil, wall: Date? = nil,
        headers more: [String: String] = [:]
    ) async throws -> TestResponse {
        var proof = ProviderProof.headers(
            of: Data((signed ?? body).utf8), from: provider, secret: source.secret, now: wall ?? clock.domain.now)
        if provider == .instacart {
            let id = try #require(SourceID(rawValue: source.id))
            proof = [
                "authorization":
                    "Bearer \(SourceToken.make(for: id, secret: source.secret, now: clock.domain.now))"
            ]
        }
        var fields: HTTPFields = [.contentType: ProviderProof.contentType(of: provider)]
        for (name, value) in proof.merging(more, uniquingKeysWith: { $1 }) {
            fields[try #require(HTTPField.Name(name))] = value
        }
        return try await client.execute(
            uri: "/in/\(source.id)", method: .post, headers: fields, body: ByteBuffer(string: body))
    }

    // MARK: State

    /// A delivery of a store, known to nobody yet.
    func delivery(store: String = "nordhavn", items: Int = 1) throws -> Delivery {
        var delivery = try Delivery.sample(
            in: .placed, uuid: UUID(), store: try #require(StoreID(rawValue: store)), at: clock.domain.now)
        if items > 1 {
            delivery = Delivery(
                id: delivery.id, order: delivery.order, reference: delivery.reference, customer: delivery.customer,
                store: delivery.store, bag: delivery.bag, door: delivery.door, promise: delivery.promise,
                handoff: delivery.handoff,
                items: try (0..<items).map { index in
                    Item(
                        id: try #require(ItemID(rawValue: "item-\(index)")),
                        name: String(repeating: "å", count: 60), quantity: 2, ifUnavailable: .ask)
                }, placedAt: delivery.placedAt)
        }
        return delivery
    }

    /// Has the service hear of a delivery as `orders` tells of it.
    func learn(
        _ delivery: Delivery, cause: String = "placed", reached: [StatusCode]? = nil
    ) async throws {
        try await parts.applyDeliveryChange([
            DeliveryChanged(
                delivery: delivery, links: [], cause: cause, changedAt: clock.domain.now, reached: reached)
        ])
    }

    /// A new delivery, which the service knows.
    func learnDelivery(store: String = "nordhavn", items: Int = 1) async throws -> Delivery {
        let delivery = try self.delivery(store: store, items: items)
        try await learn(delivery)
        return delivery
    }

    /// Makes a change of a delivery, and has the service hear of it.
    @discardableResult
    func change(_ delivery: inout Delivery, _ change: DeliveryChange) async throws -> DeliveryChanged {
        let before = delivery.status
        _ = try delivery.apply(change, at: clock.domain.now)
        let message = DeliveryChanged(
            delivery: delivery, links: [], cause: "status", changedAt: clock.domain.now,
            reached: delivery.status.codesReached(from: before))
        try await parts.applyDeliveryChange([message])
        return message
    }

    /// The reports and positions in the outbox, oldest first.
    func outbox() async throws -> (reports: [ProviderReported], positions: [ProviderPosition]) {
        let rows = try await pool.query("SELECT subject, payload FROM outbox ORDER BY created_at")
        var (reports, positions): ([ProviderReported], [ProviderPosition]) = ([], [])
        for row in rows {
            let isReports = try row.decode("subject", as: String.self) == Subject.providersReported
            for payload in MessageBatch.elements(of: try row.decode("payload")).map({ Data($0) }) {
                if isReports {
                    reports.append(try WireJSON.decode(ProviderReported.self, from: payload))
                } else {
                    positions.append(try WireJSON.decode(ProviderPosition.self, from: payload))
                }
            }
        }
        return (reports, positions)
    }

    func receipts(_ client: any TestClientProtocol, _ query: String = "") async throws -> [ReceiptBody] {
        let body: ReceiptsBody = try await send(client, .get, "/v1/receipts\(query)").decode()
        return body.receipts
    }
}

/// No body.
struct NoBody: Codable {}

extension TestResponse {
    func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        try WireJSON.decode(type, from: Data(body.readableBytesView))
    }

    /// The last part of a problem's type; nil where it is none.
    var problem: String? {
        struct Document: Decodable { let type: String }
        let document = try? WireJSON.decode(Document.self, from: Data(body.readableBytesView))
        return document?.type.split(separator: "/").last.map(String.init)
    }
}

extension ApplyDeliveryChange {
    /// Applies changes that need no decoding.
    func callAsFunction(_ changes: [DeliveryChanged]) async throws {
        try await callAsFunction(
            changes.map { change in
                Received(outline: DeliveryOutline(change.delivery), cause: change.cause, whole: { change })
            })
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InterfaceTexts
import LiveActivity
import Logging
import Messages
import NIOCore
import NatsClient
import OpenAPITesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import TextCoding
import TileArchive
import WebPages
import WireCoding

@testable import Orders

/// All of `orders` on the test's own schema, with a clock that the test advances and without a broker.
struct OrdersUnderTest {
    let pool: PostgresPool
    let clock: ManualClock
    let messages: OrdersMessages
    let http: HTTPService
    let reads: PersonalReadRecorder
    let comparison: PageComparison
    let mapUpdates: PageMapUpdates
    /// What `courier-eta` would answer about couriers of maps.
    let places = CourierPlacesByTest()
    /// The metrics of its deliveries and its port.
    let metrics = MetricsRegistry()
    private let parts: Orders.Parts
    /// What `activity-dispatch` would answer; nothing, until a test puts something there.
    let wanted = WantedCardsByTest()
    /// What the other services answer about couriers that are to be erased.
    let erasing = ErasingServicesByTest()
    private let signer: TokenSigner

    static let customer = CustomerID(rawValue: "mette").unsafelyUnwrapped
    static let start = Date(timeIntervalSince1970: 1_795_222_000)
    /// Of its links and pages.
    static let origin = "https://go.nordhavn.example"
    /// A file of map images, as another program wrote it.
    static var mapImages: MapImages {
        get throws {
            let path = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Clients/TileArchiveTests/Samples/four-zooms.pmtiles").standardizedFileURL.path
            return MapImages(.file(try TileArchive(path: path)), attribution: "Sample", path: "/assets/tiles")
        }
    }
    /// Seals and opens PINs, as `activity-dispatch` opens them.
    static var pins: PINBox { get throws { PINBox(try proofKeys) } }
    static var proofKeys: SecretBox {
        get throws { try SecretBox(keys: [1: Array(repeating: 9, count: 32)], encrypting: 1) }
    }

    /// Opens what it has sealed of people.
    static var personalData: PersonalDataBox { get throws { PersonalDataBox(try proofKeys, seals: true) } }

    /// Runs a test with it, and closes its connections afterwards.
    ///
    /// - Parameters:
    ///   - database: nil for the test's own schema.
    ///   - makesPINs: whether it has the keys of PINs.
    ///   - personalData: nil for one that seals.
    static func run(
        on database: PostgresConfiguration? = nil,
        limits: OrderLimits = OrderLimits(), proofRules: ProofRules = ProofRules(),
        imageVisibility: ImageVisibility = ImageVisibility(),
        courierVisibility: CourierVisibility = CourierVisibility(), mapImages: MapImages = MapImages(),
        texts: InstallationTexts = .builtIn, customerPacer: CustomerPacer = CustomerPacer(), makesPINs: Bool = true,
        erases: Bool = true, personalData: PersonalDataBox? = nil,
        logger: Logger = .silent,
        _ body: @escaping @Sendable (OrdersUnderTest, any TestClientProtocol) async throws -> Void
    ) async throws {
        let subject = try await OrdersUnderTest(
            database: database ?? TestPostgres.current, limits: limits, proofRules: proofRules,
            imageVisibility: imageVisibility, courierVisibility: courierVisibility, mapImages: mapImages,
            texts: texts, customerPacer: customerPacer, makesPINs: makesPINs, erases: erases,
            personalData: personalData ?? Self.personalData, logger: logger)
        try await withTeardown({ await subject.pool.shutDown() }) {
            try await subject.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                try await body(subject, client)
            }
        }
    }

    /// Runs a test with a new order's only delivery.
    static func runPlaced(
        _ body: @escaping @Sendable (OrdersUnderTest, any TestClientProtocol, DeliveryID) async throws -> Void
    ) async throws {
        try await run { orders, client in
            try await body(orders, client, try await orders.place(client, try orders.body()).deliveries[0].id)
        }
    }

    private init(
        database: PostgresConfiguration, limits: OrderLimits, proofRules: ProofRules,
        imageVisibility: ImageVisibility, courierVisibility: CourierVisibility, mapImages: MapImages,
        texts: InstallationTexts, customerPacer: CustomerPacer, makesPINs: Bool, erases: Bool,
        personalData: PersonalDataBox, logger: Logger
    ) async throws {
        let pair = TokenKeyPair.generate(kid: "test")
        signer = try await TokenSigner(kid: "test", privateKeyPEM: pair.privateKeyPEM)
        let keys = try await TokenKeys([pair.entry(roles: Role.allCases)])
        pool = PostgresPool(database, logger: logger)
        try await pool.warm()
        let schema = try #require(database.schema)
        try await migrate(Orders.process.migrations, schema: schema, on: pool)
        clock = ManualClock(Self.start)
        let nats = NatsClient(NatsConfiguration(), logger: logger)
        let relay = OutboxRelay(pool: pool, nats: nats, logger: logger)
        let links = try LinkSigner(origin: Self.origin, keys: [1: Array(repeating: 7, count: 32)], signing: 1)
        parts = Orders.Parts(
            pool: pool, clock: clock.domain, links: links, dismissal: .standard, relay: relay,
            wantedCards: wanted.client, metrics: metrics, logger: logger, texts: texts,
            proofKeys: makesPINs ? try Self.proofKeys : nil, personalData: personalData,
            courierVisibility: courierVisibility, facesAgeMax: .zero,
            erasureHash: erases ? KeyedHash(keys: [1: Array(repeating: 5, count: 32)], current: 1) : nil)
        mapUpdates = parts.mapUpdates(by: places.client)
        messages = OrdersMessages(change: parts.change, updateBoard: UpdateBoard(pool: pool))
        comparison = PageComparison(pages: parts.pages, cards: parts.cards, pool: pool, logger: logger)
        let republisher = Republisher(
            pool: pool, name: "deliveries", readers: .readers(), logger: logger,
            rows: SnapshotRepublisher(clock: clock.domain, messages: parts.change.messages))
        reads = PersonalReadRecorder(pool: pool, clock: clock.domain, logger: logger)
        let routes = parts.routes(
            limits: limits, proofRules: proofRules, imageVisibility: imageVisibility, mapImages: mapImages,
            signer: signer,
            alertSubscriber: wanted.alertSubscriber, erasureClient: erasing.client,
            positionsOrigin: "https://couriers.nordhavn.example",
            operatorRoutes: OperatorRoutes(
                DeadLetters(pool: pool), reads: reads, wakeRelay: {}, resync: { try await republisher.republishAll() }),
            customerPacer: customerPacer)
        http = HTTPService(
            configuration: HTTPConfiguration(), name: "orders", openAPI: PackageResources.openapi_yaml,
            queryParameters: OrdersHTTP.queryParameters.adding(OperatorRoutes.queryParameters), readiness: [],
            metrics: metrics, tokens: TokenVerifier(keys), logger: logger, addRoutes: routes.addRoutes)
    }

    var change: ChangeDelivery { parts.change }

    /// The work on requests to erase persons.
    func continueErasures(asking client: ErasureClient) -> ContinueErasures {
        parts.continueErasures(asking: client)
    }

    /// The work on requests to export persons' data.
    func continueExports(
        asking client: ExportClient, imageVisibility: ImageVisibility = ImageVisibility()
    ) -> ContinueExports {
        parts.continueExports(asking: client, imageVisibility: imageVisibility)
    }

    var giveImage: GiveImage {
        get throws {
            GiveImage(
                change: change, box: ProofImageBox(try Self.proofKeys), imagesDays: RetentionTimes().imagesDays)
        }
    }
    var pressLink: PressLink { parts.pressLink }
    var pages: OpenPages { parts.pages }
    var cards: PageCards { parts.cards }
    var maps: PageMaps { parts.maps }
    var showPage: ShowPage {
        ShowPage(pressLink: pressLink, pages: pages, cards: cards, faces: parts.faces, maps: parts.maps)
    }

    // MARK: Requests and state

    func token(
        _ role: Role, _ subject: String, store: String? = nil, delivery: String? = nil, scope: String? = nil,
        name: DisplayName? = nil
    ) async throws -> String {
        try await signer.sign(
            Identity(
                subject: subject, role: role, store: store, delivery: delivery, scope: scope, displayName: name,
                expiresAt: Date().addingTimeInterval(600)),
            at: Date())
    }

    /// An order of one bag, or more.
    func body(
        bags: Int = 1, customer: String = "mette", reference: String = "G-1042", contact: StoreContact? = nil,
        corrections: CorrectionLimits? = nil
    ) throws -> PlaceOrderBody {
        let sample = try Delivery.sample()
        let store = Store(
            id: sample.store.id, name: sample.store.name, location: sample.store.location,
            timeZone: sample.store.timeZone, currency: sample.store.currency,
            tracksCouriers: sample.store.tracksCouriers, contact: contact, corrections: corrections)
        return PlaceOrderBody(
            reference: reference, customer: try #require(CustomerID(rawValue: customer)), store: store,
            promise: sample.promise, door: sample.door, handoff: nil,
            deliveries: try (0..<bags).map { _ in
                PlaceOrderBody.Part(items: [
                    .init(id: try #require(ItemID(rawValue: "milk")), name: "Milk", quantity: 2, ifUnavailable: .ask)
                ])
            })
    }

    func place(_ client: any TestClientProtocol, _ body: PlaceOrderBody, key: String = UUID().uuidString) async throws
        -> OrderBody
    {
        let response = try await send(
            client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": key])
        #expect(response.status == .created)
        return try response.decode()
    }

    func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, as role: Role?,
        _ subject: String = "", _ body: (some Encodable)? = NoBody?.none, _ headers: [String: String] = [:]
    ) async throws -> TestResponse {
        let token: String? = if let role { try await self.token(role, subject) } else { nil }
        return try await send(client, method, path, token: token, body, headers)
    }

    /// Sends a request with a token of the test's own.
    func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, token: String?,
        _ body: (some Encodable)? = NoBody?.none, _ headers: [String: String] = [:]
    ) async throws -> TestResponse {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.authorization] = token.map { "Bearer \($0)" }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        return try await client.execute(
            uri: path, method: method, headers: fields,
            body: try body.map { ByteBuffer(bytes: try WireJSON.encode($0)) })
    }

    /// Sets a status as the store, which needs no `If-Match`.
    func set(_ code: StatusCode, _ delivery: DeliveryID, _ client: any TestClientProtocol) async throws {
        let response = try await send(
            client, .post, "/v1/deliveries/\(delivery)/status", as: .store, "nordhavn", StatusBody(status: code))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
    }

    /// Sets one status after the other.
    func set(_ codes: [StatusCode], _ delivery: DeliveryID, _ client: any TestClientProtocol) async throws {
        for code in codes { try await set(code, delivery, client) }
    }

    func assign(_ courier: String, _ delivery: DeliveryID, _ client: any TestClientProtocol) async throws {
        let id = try #require(CourierID(rawValue: courier))
        let described = CourierBody(id: id, name: courier.capitalized, vehicle: .bicycle, phone: "+4512345678")
        let response = try await send(
            client, .put, "/v1/deliveries/\(delivery)/courier", as: .store, "nordhavn",
            AssignBody(courier: .described(described)))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
    }

    /// The path of a link of a delivery, as its customer reads it.
    func link(
        _ verb: String, of delivery: DeliveryID, to customer: String = "mette", _ client: any TestClientProtocol
    ) async throws -> String {
        let seen: DeliveryBody =
            try await send(client, .get, "/v1/deliveries/\(delivery)", as: .customer, customer).decode()
        return Self.path(of: try #require(seen.links.first { $0.verb == verb }).url)
    }

    /// The path of a delivery's page, by the link that its shop texts.
    func viewLink(of delivery: DeliveryID, _ client: any TestClientProtocol) async throws -> String {
        let link: ViewLinkBody =
            try await send(client, .post, "/v1/deliveries/\(delivery)/view-link", as: .store, "nordhavn").decode()
        return Self.path(of: link.url)
    }

    /// The path of a courier's page.
    func courierLink(of courier: String, _ client: any TestClientProtocol) async throws -> String {
        let link: CourierLinkBody =
            try await send(client, .post, "/v1/couriers/\(courier)/link", as: .operator, "ada").decode()
        return Self.path(of: link.url)
    }

    /// The path of an address at the origin of its links.
    static func path(of url: String) -> String { String(url.dropFirst(origin.count)) }

    /// The elements of the messages in the outbox, oldest first.
    func outbox() async throws -> [(subject: String, payload: Data)] {
        try await pool.query("SELECT subject, payload FROM outbox ORDER BY created_at").flatMap { row in
            let subject: String = try row.decode("subject")
            return MessageBatch.elements(of: try row.decode("payload")).map { (subject, Data($0)) }
        }
    }

    /// The snapshots of a delivery in the outbox, oldest first, with their subjects.
    func snapshots(of delivery: DeliveryID) async throws -> [(subject: String, message: DeliveryChanged)] {
        try await outbox().filter { $0.subject != Subject.intents(.orders) }
            .map { ($0.subject, try WireJSON.decode(DeliveryChanged.self, from: $0.payload)) }
            .filter { $0.1.delivery.id == delivery }
    }

    /// The intents in the outbox, oldest first.
    func intents() async throws -> [Intent] {
        try await outbox().filter { $0.subject == Subject.intents(.orders) }
            .map { try WireJSON.decode(Intent.self, from: $0.payload) }
    }

    /// The kinds of the timers that are set.
    func timers() async throws -> [String] {
        try await pool.query("SELECT kind FROM timers ORDER BY kind").map { try $0.decode("kind") }
    }
}

/// No body.
struct NoBody: Codable {}

extension TestResponse {
    func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        try WireJSON.decode(type, from: Data(body.readableBytesView))
    }

    /// A problem document's own members.
    func problem() throws -> ProblemDocument {
        #expect(headers[.contentType] == "application/problem+json")
        return try decode()
    }
}

struct ProblemDocument: Decodable {
    let type: String
    let detail: String?
    let allowed: [String]?
    let errors: [Location]?
    let order: OrderID?

    struct Location: Decodable {
        let path: String
        let message: String
        let allowed: [String]?
    }
}

extension OrdersMessages {
    /// Handles an estimate that came alone.
    func handle(_ estimate: EstimateChanged) async throws { try await handle([estimate]) }
}

import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OpenAPITesting
import OrderDomain
import PostgresClient
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Who may do what in partners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct AccessMatrixTests {
    /// A delivery of nordhavn, and that store's source and endpoint.
    private struct Scene {
        let endpoint: Endpoint
        let source: String
        let secret: String
        let receipt: String
        let letter: String
        var delivery: DeliveryID { endpoint.delivery }
    }

    private struct Endpoint {
        let id: EndpointID
        /// The event of a delivery that it got.
        let event: EventID
        let delivery: DeliveryID
    }

    /// Every kind of caller.
    ///
    /// After `@` the only store of the token, after `#` its only delivery, after `:` what it is good for.
    private static let callers = [
        "nobody", "operator", "operator@valby", "store", "store@nordhavn", "store@valby", "store#this", "customer",
        "courier", "operator:viewer", "operator:dispatcher",
    ]

    /// 401 without a token, 404 for what is another's or the role never may, 403 where an operator's scope is too
    /// narrow, and for a store where operators alone may; anything else is allowed.
    ///
    /// References of another store's delivery are as those of an unknown one: a list without any.
    ///
    /// A provider's routes (`/in`) take the proof of its source, and have tests of their own.
    private static let expected = """
        1 nobody
        2 operator
        3 operator@valby
        4 store
        5 store@nordhavn
        6 store@valby
        7 store#this
        8 customer
        9 courier
        10 operator:viewer
        11 operator:dispatcher
                                 1    2    3    4    5    6    7    8    9   10   11
        addEndpoint            401  201  201  201  201  201  404  404  404  403  403
        addSourceSecret        401  201  404  201  201  404  404  404  404  403  403
        changeEndpoint         401  200  404  200  200  404  404  404  404  403  403
        deleteEndpoint         401  204  404  204  204  404  404  404  404  403  403
        deleteSource           401  204  404  204  204  404  404  404  404  403  403
        deleteSourceSecret     401  409  404  409  409  404  404  404  404  403  403
        dismissReceipt         401  200  404  200  200  404  404  404  404  403  403
        dropDeadLetter         401  200  404  403  403  403  403  404  404  403  403
        getDeadLetter          401  200  404  403  403  403  403  404  404  403  403
        getEndpoint            401  200  404  200  200  404  404  404  404  200  200
        getEventDelivery       401  200  404  200  200  404  404  404  404  200  200
        getLiveness            200  200  200  200  200  200  200  200  200  200  200
        getMetrics             200  200  200  200  200  200  200  200  200  200  200
        getOpenAPIDocument     200  200  200  200  200  200  200  200  200  200  200
        getProviderReferences  401  200  200  200  200  200  200  404  404  200  200
        getReadiness           200  200  200  200  200  200  200  200  200  200  200
        getReceipt             401  200  404  200  200  404  404  404  404  200  200
        getSource              401  200  404  200  200  404  404  404  404  200  200
        listDeadLetters        401  200  404  403  403  403  403  404  404  200  200
        listEndpoints          401  200  200  200  200  200  404  404  404  200  200
        listEventDeliveries    401  200  404  200  200  404  404  404  404  200  200
        listPersonalReads      401  200  404  403  403  403  403  404  404  403  403
        listReceipts           401  200  200  200  200  200  404  404  404  200  200
        listSources            401  200  200  200  200  200  404  404  404  200  200
        putSource              401  201  201  201  201  201  404  404  404  403  403
        replayEvents           401  202  404  202  202  404  404  404  404  403  403
        republishReports       401  202  404  403  403  403  403  404  404  403  403
        retryDeadLetter        401  200  404  403  403  403  403  404  404  403  403
        rotateEndpointSecret   401  200  404  200  200  404  404  404  404  403  403
        setProviderReference   401  200  404  200  200  404  200  404  404  403  200
        streamEvents           401  200  200  200  200  200  404  404  404  403  200
        triggerEvent           401  202  202  202  202  202  404  404  404  403  403
        """

    @Test("Every operation answers every kind of caller as the table says")
    func matrix() async throws {
        try await PartnersUnderTest.run { partners, client in
            var matrix = AccessMatrix(callers: Self.callers)
            let endpoint = try await Self.endpoint(partners, client)
            var scene = try await Self.scene(partners, client, endpoint)
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            let documented = try #require(client as? DocumentedClient)
            let operations = document.operations.filter { !$0.name.contains(" /in/") }
            func reads(_ operation: OpenAPIDocument.Operation) -> Bool { operation.name.hasPrefix("GET") }
            // What one caller changes is not there for the next one to find.
            for operation in operations.filter(reads) + operations.filter({ !reads($0) }) {
                let isLost = ["deleteEndpoint", "rotateEndpointSecret"].contains(operation.id)
                try await matrix.add(operation.id, client) { caller, isChanged in
                    if isChanged || isLost {
                        scene = try await Self.scene(
                            partners, client, isLost ? Self.endpoint(partners, client) : endpoint)
                    }
                    let request = Self.request(operation.id, scene)
                    return (
                        try #require(request, "no request for \(operation.id)"),
                        try await Self.authorization(caller, scene.delivery, partners)
                    )
                }
            }
            #expect(matrix.text == Self.expected, "\(matrix.text)")
            #expect(matrix.undocumentedScopes(in: document) == [])
            // A source keeps its last secret.
            #expect(matrix.operations.subtracting(documented.succeeded) == ["deleteSourceSecret"])
        }
    }

    private static func scene(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol, _ endpoint: Endpoint
    ) async throws -> Scene {
        // The first of each is this scene's.
        for table in ["receipts", "sources", "dead_letters"] {
            try await partners.pool.execute("TRUNCATE \(raw: table) CASCADE")
        }
        try await partners.pool.execute(
            """
            INSERT INTO dead_letters (origin, message_id, subject, payload, headers, error, attempts)
            VALUES ('outbox', \(UUID().uuidString), 'a', ''::bytea, '{}'::jsonb, 'why', 1)
            """)
        let letters: DeadLettersBody = try await partners.send(client, .get, "/v1/admin/dead-letters").decode()
        let store = try #require(StoreID(rawValue: "nordhavn"))
        let source = try await partners.addSource(client, .uber, store: store)
        _ = try await partners.send(
            client, .put, "/v1/sources/instacart", PutSourceBody(provider: "instacart", store: store))
        let known: SourceBody = try await partners.send(client, .get, "/v1/sources/\(source.id)").decode()
        let life = ProviderLife(of: .uber, from: PartnersUnderTest.start)
        _ = try await partners.post(client, try #require(life.bodies.first), from: .uber, source)
        return Scene(
            endpoint: endpoint, source: source.id, secret: try #require(known.secrets.first).id,
            receipt: "\(try #require(try await partners.receipts(client).first).id)",
            letter: "\(try #require(letters.deadLetters.first).id)")
    }

    private static func endpoint(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol
    ) async throws -> Endpoint {
        let endpoint = try await partners.addEndpoint(client, tokenStore: "nordhavn")
        var delivery = try await partners.learnDelivery()
        try await partners.change(&delivery, .status(.accepted, reason: nil))
        let page: EventDeliveriesBody = try await partners.send(
            client, .get, "/v1/webhooks/\(endpoint.id)/deliveries"
        ).decode()
        return Endpoint(
            id: endpoint.id, event: try #require(page.deliveries.first?.event), delivery: delivery.id)
    }

    private static func authorization(
        _ caller: String, _ delivery: DeliveryID, _ partners: PartnersUnderTest
    ) async throws -> String? {
        guard let caller = AccessMatrix.Caller(caller) else { return nil }
        let token = try await partners.token(
            try #require(Role(rawValue: caller.name)), caller.name, store: caller.store,
            delivery: caller.delivery == "this" ? delivery.rawValue : nil, scope: caller.scope)
        return "Bearer \(token)"
    }

    private static func request(_ operation: String, _ scene: Scene) -> AccessMatrix.Request? {
        let source = "/v1/sources/\(scene.source)"
        let receipt = "/v1/receipts/\(scene.receipt)"
        let provider = "/v1/deliveries/\(scene.delivery)/provider"
        let endpoint = "/v1/webhooks/\(scene.endpoint.id)"
        let reason = #"{"reason":"a test"}"#
        return switch operation {
        case "listSources": .init(.get, "/v1/sources")
        case "getSource": .init(.get, source)
        case "putSource": .init(.put, "/v1/sources/another", #"{"provider":"cloudevents"}"#)
        case "deleteSource": .init(.delete, source)
        case "addSourceSecret": .init(.post, "/v1/sources/instacart/secrets")
        // A source keeps its last secret.
        case "deleteSourceSecret": .init(.delete, "\(source)/secrets/\(scene.secret)")
        case "listReceipts": .init(.get, "/v1/receipts")
        case "getReceipt": .init(.get, receipt)
        case "dismissReceipt": .init(.post, "\(receipt)/dismiss", reason)
        case "setProviderReference":
            .init(.put, provider, #"{"source":"\#(scene.source)","reference":"\#(UUID())"}"#)
        case "getProviderReferences": .init(.get, provider)
        case "listEndpoints": .init(.get, "/v1/webhooks")
        case "addEndpoint": .init(.post, "/v1/webhooks", #"{"url":"http://shop.example/others"}"#)
        case "getEndpoint": .init(.get, endpoint)
        case "changeEndpoint": .init(.patch, endpoint, #"{"description":"Orders"}"#)
        case "deleteEndpoint": .init(.delete, endpoint)
        case "rotateEndpointSecret": .init(.post, "\(endpoint)/secret")
        case "listEventDeliveries": .init(.get, "\(endpoint)/deliveries")
        case "getEventDelivery": .init(.get, "\(endpoint)/deliveries/\(scene.endpoint.event)")
        case "replayEvents": .init(.post, "\(endpoint)/replay", #"{"event":"\#(scene.endpoint.event)"}"#)
        case "triggerEvent": .init(.post, "/v1/webhook-events", #"{"type":"delivery.changed"}"#)
        // A stream's body has no end.
        case "streamEvents": .init(.head, "/v1/webhook-events/stream")
        case "republishReports": .init(.post, "/v1/admin/republish")
        default: AccessMatrix.Request(ofEveryService: operation, deadLetter: scene.letter)
        }
    }
}

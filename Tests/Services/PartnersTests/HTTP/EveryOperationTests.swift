import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import PostgresClient
import ProviderSamples
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Operations of partners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EveryOperationTests {
    @Test("Every operation of the OpenAPI document succeeds, with the body that the document describes")
    func succeeds() async throws {
        try await PartnersUnderTest.run { partners, client in
            let documented = try #require(client as? DocumentedClient)
            for path in ["/health/live", "/health/ready", "/metrics", "/openapi.yaml"] {
                _ = try await partners.send(client, .get, path, as: nil)
            }
            try await Self.receive(partners, client)
            try await Self.send(partners, client)
            try await Self.administer(partners, client)
            let ids = Set(try OpenAPIDocument(yaml: PackageResources.openapi_yaml).operations.map(\.id))
            #expect(ids.subtracting(documented.succeeded) == [])
        }
    }

    @Test("Every route is described, and nothing else is")
    func routes() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            #expect(document.routes == partners.http.routes)
            #expect(document.queryFaults { partners.http.queryParameters.names(of: $0, $1) } == [])
        }
    }

    private static func receive(_ partners: PartnersUnderTest, _ client: any TestClientProtocol) async throws {
        let delivery = try await partners.learnDelivery()
        let source = try await partners.addSource(client, .uber)
        for provider in ["onfleet", "instacart", "cloudevents"] {
            let secret = provider == "onfleet" ? String(repeating: "0f", count: 32) : nil
            _ = try await partners.send(
                client, .put, "/v1/sources/\(provider)", PutSourceBody(provider: provider, secret: secret))
        }
        for body in ProviderLife(of: .uber, from: PartnersUnderTest.start).bodies {
            _ = try await partners.post(client, body, from: .uber, source)
        }
        _ = try await client.execute(uri: "/in/onfleet?check=x", method: .get)
        let origin = try #require(HTTPField.Name("WebHook-Request-Origin"))
        _ = try await client.execute(uri: "/in/cloudevents", method: .options, headers: [origin: "velo.example"])
        let made: SourceBody = try await partners.send(client, .post, "/v1/sources/instacart/secrets").decode()
        let secret = try #require(made.secrets.last?.secret)
        _ = try await client.execute(
            uri: "/in/instacart/token", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
            body: ByteBuffer(
                string: "grant_type=client_credentials&client_id=instacart&client_secret=\(secret)"))
        _ = try await partners.send(client, .get, "/v1/sources")
        _ = try await partners.send(client, .get, "/v1/sources/uber")
        _ = try await partners.send(client, .delete, "/v1/sources/instacart/secrets/\(made.secrets[0].id)")
        _ = try await partners.send(client, .delete, "/v1/sources/onfleet")
        let receipts = try await partners.receipts(client)
        let receipt = try #require(receipts.first)
        _ = try await partners.send(client, .get, "/v1/receipts/\(receipt.id)")
        _ = try await partners.send(
            client, .post, "/v1/receipts/\(receipt.id)/dismiss", ReasonBody(reason: "of a test"))
        let path = "/v1/deliveries/\(delivery.id)/provider"
        let reference = ProviderReferenceBody(source: try #require(SourceID(rawValue: "uber")), reference: "del_1")
        _ = try await partners.send(client, .put, path, reference)
        _ = try await partners.send(client, .get, path)
    }

    private static func send(_ partners: PartnersUnderTest, _ client: any TestClientProtocol) async throws {
        let endpoint: EndpointBody = try await partners.send(
            client, .post, "/v1/webhooks", as: .store, NewEndpointBody(url: "http://shop.example/hooks")
        ).decode()
        let path = "/v1/webhooks/\(endpoint.id)"
        var delivery = try await partners.learnDelivery()
        try await partners.change(&delivery, .status(.accepted, reason: nil))
        while try await partners.parts.sender.sendDue() > 0 {}
        let page: EventDeliveriesBody = try await partners.send(client, .get, "\(path)/deliveries").decode()
        let event = try #require(page.deliveries.first?.event)
        _ = try await partners.send(client, .get, "\(path)/deliveries/\(event)")
        _ = try await partners.send(client, .post, "\(path)/replay", ReplayBody(event: event))
        _ = try await partners.send(client, .post, "/v1/webhook-events", TriggerBody(type: .changed))
        _ = try await partners.send(client, .get, "/v1/webhooks")
        _ = try await partners.send(client, .get, path)
        _ = try await partners.send(client, .patch, path, ChangedEndpointBody(description: .text("Orders")))
        _ = try await partners.send(client, .post, "\(path)/secret")
        // A stream's body has no end.
        _ = try await partners.send(client, .head, "/v1/webhook-events/stream")
        _ = try await partners.send(client, .delete, path)
    }

    private static func administer(_ partners: PartnersUnderTest, _ client: any TestClientProtocol) async throws {
        for _ in 0..<2 {
            try await partners.pool.execute(
                """
                INSERT INTO dead_letters (origin, message_id, subject, payload, headers, error, attempts)
                VALUES ('outbox', \(UUID().uuidString), 'a', ''::bytea, '{}'::jsonb, 'why', 1)
                """)
        }
        let letters: DeadLettersBody = try await partners.send(client, .get, "/v1/admin/dead-letters").decode()
        let (one, two) = (letters.deadLetters[0].id, letters.deadLetters[1].id)
        _ = try await partners.send(client, .get, "/v1/admin/dead-letters/\(one)")
        _ = try await partners.send(client, .get, "/v1/personal-reads")
        _ = try await partners.send(client, .post, "/v1/admin/dead-letters/\(one)/retry")
        _ = try await partners.send(
            client, .post, "/v1/admin/dead-letters/\(two)/drop", ReasonBody(reason: "of no use"))
        _ = try await partners.send(client, .post, "/v1/admin/republish")
    }
}

import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Operations of partners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EveryOperationTests {
    @Test("Every operation of providers succeeds with the documented body, and one that the table of callers lacks")
    func succeeds() async throws {
        try await PartnersUnderTest.run { partners, client in
            let documented = try #require(client as? DocumentedClient)
            try await Self.receive(partners, client)
            let ids = try OpenAPIDocument(yaml: PackageResources.openapi_yaml).operations
                .filter { $0.name.contains(" /in/") || $0.id == "deleteSourceSecret" }.map(\.id)
            #expect(ids.count > 1 && Set(ids).subtracting(documented.succeeded) == [])
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
        _ = try await partners.send(client, .delete, "/v1/sources/instacart/secrets/\(made.secrets[0].id)")
    }
}

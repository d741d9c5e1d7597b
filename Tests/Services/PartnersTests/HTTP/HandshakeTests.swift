import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ProviderSamples
import TestSupport
import Testing

@testable import Partners

@Suite("What providers ask before they send", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct HandshakeTests {
    @Test("Onfleet is given its text back, and nobody else is")
    func onfleet() async throws {
        try await PartnersUnderTest.run { partners, client in
            for provider in DeliveryProvider.allCases { _ = try await partners.addSource(client, provider) }
            let answer = try await client.execute(uri: "/in/onfleet?check=a%20b%3Cc", method: .get)
            #expect(answer.status == .ok && String(buffer: answer.body) == "a b<c")
            #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
            for path in ["/in/onfleet", "/in/uber?check=x", "/in/nobody?check=x"] {
                #expect(try await client.execute(uri: path, method: .get).status == .notFound)
            }
            for _ in 0..<(InboundHTTP.forgeriesBurst + 50) {
                _ = try await client.execute(uri: "/in/nobody?check=x", method: .get)
            }
            for path in ["/in/onfleet", "/in/uber?check=x", "/in/nobody?check=x"] {
                #expect(try await client.execute(uri: path, method: .get).status == .tooManyRequests)
            }
            #expect(try await client.execute(uri: "/in/onfleet?check=x", method: .get).status == .ok)
        }
    }

    @Test("A writer of CloudEvents is let send as much as it likes")
    func cloudEvents() async throws {
        try await PartnersUnderTest.run { partners, client in
            for provider in DeliveryProvider.allCases { _ = try await partners.addSource(client, provider) }
            let origin = try #require(HTTPField.Name("WebHook-Request-Origin"))
            let answer = try await client.execute(
                uri: "/in/cloudevents", method: .options, headers: [origin: "velo.example"])
            #expect(answer.status == .ok)
            #expect(answer.headers[try #require(HTTPField.Name("WebHook-Allowed-Origin"))] == "velo.example")
            #expect(answer.headers[try #require(HTTPField.Name("WebHook-Allowed-Rate"))] == "*")
            let other = try await client.execute(uri: "/in/uber", method: .options, headers: [origin: "velo.example"])
            #expect(other.status == .notFound)
        }
    }

    @Test("A token that was fetched with a secret is good until it expires, or its secret is removed")
    func tokens() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .instacart)
            func fetch(_ form: String, basic: String? = nil) async throws -> TestResponse {
                var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                if let basic { headers[.authorization] = "Basic \(Data(basic.utf8).base64EncodedString())" }
                return try await client.execute(
                    uri: "/in/instacart/token", method: .post, headers: headers, body: ByteBuffer(string: form))
            }
            let grant = "grant_type=client_credentials&scope=connect"
            let answer = try await fetch("client_id=instacart&client_secret=\(source.secret)&\(grant)")
            #expect(answer.status == .ok && answer.headers[.cacheControl] == "no-store")
            let token: AccessTokenBody = try answer.decode()
            #expect(token.tokenType == "Bearer" && token.expiresIn == 3_600)
            #expect(try await fetch(grant, basic: "instacart:\(source.secret)").status == .ok)
            #expect(try await fetch("client_id=instacart&client_secret=wrong&\(grant)").status == .unauthorized)
            #expect(try await fetch("client_id=uber&client_secret=\(source.secret)&\(grant)").status == .unauthorized)
            #expect(try await fetch("client_id=instacart&client_secret=\(source.secret)").status == .badRequest)
            #expect(try await fetch("").status == .badRequest)

            func post(_ bearer: String) async throws -> HTTPResponse.Status {
                try await client.execute(
                    uri: "/in/instacart", method: .post,
                    headers: [.contentType: "application/json", .authorization: "Bearer \(bearer)"],
                    body: ByteBuffer(string: ProviderLife(of: .instacart, from: PartnersUnderTest.start).bodies[0])
                ).status
            }
            #expect(try await post(token.accessToken) == .ok)
            #expect(try await post(source.secret) == .unauthorized)
            #expect(try await post(token.accessToken + "x") == .unauthorized)
            partners.clock.advance(by: 3_599)
            #expect(try await post(token.accessToken) == .ok)
            partners.clock.advance(by: 2)
            #expect(try await post(token.accessToken) == .unauthorized)
        }
    }

    @Test("DoorDash is let in by the value that was set there, in each of its forms, and by a token")
    func sharedValue() throws {
        let id = try #require(SourceID(rawValue: "doordash"))
        let now = PartnersUnderTest.start
        let source = Source(
            id: id, provider: .doorDash, name: nil, store: nil, acceptsTest: false,
            secrets: [.init(id: "1", text: "dd-5f1b7c0e9a3d4c2b", createdAt: now)], createdAt: now)
        func isLetIn(_ authorization: String?) -> Bool {
            (try? source.verify(Data(), header: { $0 == "authorization" ? authorization : nil }, now: now)) != nil
        }
        let pair = Data("any:dd-5f1b7c0e9a3d4c2b".utf8).base64EncodedString()
        #expect(isLetIn("dd-5f1b7c0e9a3d4c2b") && isLetIn("Bearer dd-5f1b7c0e9a3d4c2b") && isLetIn("Basic \(pair)"))
        let token = SourceToken.make(for: id, secret: "dd-5f1b7c0e9a3d4c2b", now: now)
        #expect(isLetIn("Bearer \(token)"))
        #expect(!isLetIn(nil) && !isLetIn("") && !isLetIn("Bearer ") && !isLetIn("Basic ====") && !isLetIn("Bearer dd"))
        let others = SourceToken.make(
            for: try #require(SourceID(rawValue: "other")), secret: "dd-5f1b7c0e9a3d4c2b", now: now)
        #expect(!isLetIn("Bearer \(others)"))
    }
}

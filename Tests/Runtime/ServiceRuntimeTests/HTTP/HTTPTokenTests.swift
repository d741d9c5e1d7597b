import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ServiceRuntime

@Suite("Tokens over HTTP")
struct HTTPTokenTests {
    private func service(_ tokens: TestTokens) -> HTTPService {
        makeService(tokens: tokens) { router in
            router.get("/mine") { _, context in try jsonResponse(context.require(.customer, .operator).subject) }
        }
    }

    @Test("No token and every token that is not good are answered 401 with a challenge")
    func refused() async throws {
        let tokens = try await TestTokens(roles: [.customer])
        let unknownKey = try await TestTokens().token(.customer)
        let values = [
            nil, "Bearer", "Bearer nonsense", "Digest x", "Bearer \(unknownKey)",
            "Bearer \(try await tokens.token(.operator))", "Bearer \(try await tokens.token(.customer, lifetime: -1))",
            "Basic !!", "Basic \(Data("user".utf8).base64EncodedString())",
        ]
        try await service(tokens).application.test(.router) { client in
            for value in values {
                let headers: HTTPFields = value.map { [.authorization: $0] } ?? [:]
                let response = try await client.execute(uri: "/mine", method: .get, headers: headers)
                _ = try response.problem(.unauthorized, "unauthenticated")
                let challenge = try #require(response.headers[.wwwAuthenticate])
                #expect(challenge.hasPrefix("Bearer"))
                #expect(challenge.contains("invalid_token") == (value != nil))
            }
        }
    }

    @Test("A good token of another role is answered 404, of the right one with what it asked for")
    func roles() async throws {
        let tokens = try await TestTokens()
        let courier = HTTPFields.bearer(try await tokens.token(.courier))
        let token = try await tokens.token(.customer, subject: "c-1")
        try await service(tokens).application.test(.router) { client in
            _ = try await client.execute(uri: "/mine", method: .get, headers: courier).problem(.notFound, "not-found")
            let basic = "Basic " + Data("phone:\(token)".utf8).base64EncodedString()
            for value in ["Bearer \(token)", "bearer \(token)", basic] {
                let response = try await client.execute(uri: "/mine", method: .get, headers: [.authorization: value])
                #expect(String(buffer: response.body) == "\"c-1\"")
            }
        }
    }

    @Test("Health and metrics take no notice of tokens")
    func health() async throws {
        let headers = HTTPFields.bearer("nonsense")
        try await service(try await TestTokens()).application.test(.router) { client in
            for path in ["/health/live", "/health/ready", "/metrics", "/openapi.yaml"] {
                let response = try await client.execute(uri: path, method: .get, headers: headers)
                #expect(response.status == .ok)
            }
        }
    }
}

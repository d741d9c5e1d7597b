import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ServiceRuntime

@Suite("Query parameters of routes")
struct QueryParametersTests {
    private static let parameters = QueryParameters(
        ["GET /v1/orders": ["search", "limit"], "GET /v1/closed": []], open: ["/l"])

    @Test(
        "A route reads what is declared, nothing without a declaration, and anything where it is open",
        arguments: [
            ("GET", "/v1/orders", ["limit", "search"]), ("HEAD", "/v1/orders", ["limit", "search"]),
            ("POST", "/v1/orders", []), ("GET", "/v1/orders/{id}", []), ("GET", "/links", []),
            ("GET", "/l/{link}", nil), ("POST", "/l/{link}/proof", nil), ("GET", "/l", nil),
            ("GET", "/health/ready", nil), ("GET", "/metrics", nil),
        ] as [(String, String, [String]?)])
    func names(method: String, path: String, names: [String]?) {
        #expect(Self.parameters.names(of: method, path) == names.map(Set.init))
    }

    @Test("A declaration precedes an opening for all routes")
    func precedence() {
        let parameters = QueryParameters(["GET /v1/sessions": ["subject"]], open: ["/"])
        #expect(parameters.names(of: "GET", "/v1/sessions") == ["subject"])
        #expect(parameters.names(of: "GET", "/map") == nil)
    }

    @Test("A parameter that is there more than once is refused, but for open routes")
    func repeated() async throws {
        let service = makeService(tokens: try await TestTokens(), queryParameters: Self.parameters) { router in
            router.get("/v1/orders") { _, _ in HTTPResponse.Status.ok }
            router.get("/l/{link}") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(
                uri: "/v1/orders?limit=5&search=G-1&all&limit=5&all", method: .get)
            #expect(
                try response.problem(.badRequest, "malformed").errors == [
                    .init(path: "query all", message: "is not a known parameter", allowed: ["limit", "search"]),
                    .init(path: "query limit", message: "is there more than once"),
                ])
            let open = try await client.execute(uri: "/l/abc?utm_source=sms&utm_source=sms", method: .get)
            #expect(open.status == .ok)
        }
    }

    @Test("A parameter that is not known is refused with those that are, before the route runs")
    func refusal() async throws {
        let service = makeService(tokens: try await TestTokens(), queryParameters: Self.parameters) { router in
            router.get("/v1/orders") { _, _ in HTTPResponse.Status.ok }
            router.post("/v1/orders") { _, _ in HTTPResponse.Status.created }
            router.get("/l/{link}") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(
                uri: "/v1/orders?search=G-1&reference=G-1&all", method: .get)
            #expect(
                try response.problem(.badRequest, "malformed").errors == [
                    .init(path: "query all", message: "is not a known parameter", allowed: ["limit", "search"]),
                    .init(path: "query reference", message: "is not a known parameter", allowed: ["limit", "search"]),
                ])
            let placed = try await client.execute(uri: "/v1/orders?dryRun=true", method: .post)
            let problem = try placed.problem(.badRequest, "malformed")
            #expect(problem.detail == "query dryRun is not a known parameter")
            #expect(problem.errors?.first?.allowed == nil)
            for uri in ["/v1/orders?limit=5&search=", "/v1/orders?", "/l/abc?utm_source=sms", "/health/live?probe=1"] {
                #expect(try await client.execute(uri: uri, method: .get).status == .ok, "\(uri)")
            }
            _ = try await client.execute(uri: "/v1/nothing?a=1", method: .get).problem(.notFound, "not-found")
        }
    }
}

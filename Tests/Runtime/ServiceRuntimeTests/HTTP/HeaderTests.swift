import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ServiceRuntime

@Suite("Headers and parameters")
struct HeaderTests {
    @Test(
        "If-Match is compared strongly with the current version",
        arguments: [
            ("\"v17\"", true), ("*", true), ("\"v16\", \"v17\"", true), ("\"v16\"", false), ("W/\"v17\"", false),
            ("\"other\"", false), ("\"v\"", false),
        ])
    func ifMatch(header: String, matches: Bool) throws {
        let condition = try #require(try HTTPFields([HTTPField(name: .ifMatch, value: header)]).ifMatch())
        if matches {
            try condition.check(current: 17)
        } else {
            let problem = try #require(throws: Problem.self) { try condition.check(current: 17) }
            #expect(problem.status == .preconditionFailed && problem.headers[.eTag] == "\"v17\"")
        }
    }

    @Test(
        "An If-Match that is no list of tags is malformed",
        arguments: ["v17", "17", "\"v17", "", "\"v17\",", "*, \"v1\""])
    func malformedIfMatch(header: String) throws {
        let problem = try #require(throws: Problem.self) {
            try HTTPFields([HTTPField(name: .ifMatch, value: header)]).ifMatch()
        }
        #expect(problem.status == .badRequest)
    }

    @Test(
        "Browsers are kept from a host without TLS where its public address has TLS, by every answer, and nowhere else",
        arguments: [("https://desk.example.com", "max-age=31536000"), ("http://127.0.0.1:8084", nil), (nil, nil)]
            as [(String?, String?)])
    func transportSecurity(origin: String?, policy: String?) async throws {
        let service = makeService(tokens: try await TestTokens(), publicOrigin: origin) { router in
            router.get("/page") { _, _ in Response(status: .ok) }
            router.get("/refused") { _, _ -> Response in throw Problem.notFound() }
        }
        try await service.application.test(.router) { client in
            for path in ["/page", "/refused", "/nowhere", "/health/live"] {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.headers[.strictTransportSecurity] == policy, "\(path)")
            }
        }
    }

    @Test("A change that needs If-Match is refused without it")
    func missingIfMatch() throws {
        #expect(try HTTPFields().ifMatch() == nil)
        let problem = try #require(throws: Problem.self) { try HTTPFields().requiredIfMatch() }
        #expect(problem.status == .preconditionRequired && problem.slug == "if-match-missing")
    }

    @Test(
        "An Idempotency-Key is 1 to 255 visible ASCII characters",
        arguments: [
            (nil, "idempotency-key-missing"), ("", "malformed"), ("with space", "malformed"), ("ü", "malformed"),
            (String(repeating: "k", count: 256), "malformed"), (String(repeating: "k", count: 255), nil), ("!~", nil),
        ] as [(String?, String?)])
    func idempotencyKey(key: String?, slug: String?) async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.post("/any") { request, _ in try jsonResponse(try request.idempotencyKey()) }
        }
        let headers = HTTPFields(key.map { [HTTPField(name: .idempotencyKey, value: $0)] } ?? [])
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/any", method: .post, headers: headers)
            if let slug {
                _ = try response.problem(.badRequest, slug)
            } else {
                #expect(response.status == .ok)
            }
        }
    }

    @Test("A parameter that cannot be what it should is refused where it stands")
    func parameters() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/things/{role}") { request, context in
                let role = try context.path("role", as: Role.self)
                let filter = try request.query("role", as: Role.self)
                return try jsonResponse([
                    role.rawValue, filter?.rawValue ?? "", String(request.query("limit", in: 1...9, default: 5)),
                ])
            }
        }
        try await service.application.test(.router) { client in
            let good = try await client.execute(uri: "/things/store?role=courier&limit=9", method: .get)
            #expect(String(buffer: good.body) == #"["store","courier","9"]"#)
            _ = try await client.execute(uri: "/things/king", method: .get).problem(.notFound, "not-found")
            for (query, path) in [("role=king", "query role"), ("limit=0", "query limit"), ("limit=x", "query limit")] {
                let response = try await client.execute(uri: "/things/store?\(query)", method: .get)
                #expect(try response.problem(.badRequest, "malformed").errors?.first?.path == path)
            }
        }
    }
}

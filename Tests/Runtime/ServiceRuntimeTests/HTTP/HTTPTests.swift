import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NatsClient
import PostgresClient
import Testing

@testable import ServiceRuntime

private struct Line: Codable {
    let name: String
    let quantity: Int
}

private struct Basket: Codable {
    let items: [Line]
}

private struct Boom: Error, CustomStringConvertible {
    var description: String { "the inner secret" }
}

@Suite("HTTP")
struct HTTPTests {
    @Test(
        "A malformed body is answered 400 with the place that is wrong",
        arguments: [
            (
                #"{"items":[{"name":"a","quantity":1},{"name":"b","quantity":"two"}]}"#, "items[1].quantity",
                "is not a whole number"
            ),
            (#"{"items":[{"quantity":1}]}"#, "items[0].name", "is missing"),
            (#"{"items":[{"name":null,"quantity":1}]}"#, "items[0].name", "is null, not a string"),
            (#"{"items":[{"name":"a","quantity":1.5}]}"#, "items[0].quantity", "is not a whole number in range"),
            (#"{"items":[{"name":"a","quantity":1e300}]}"#, "items[0].quantity", "is not a whole number in range"),
            (
                #"{"weight":0.5,"items":[{"name":"a","quantity":2.0},{"name":"b","quantity":-1.5}]}"#,
                "items[1].quantity",
                "is not a whole number in range"
            ),
            (
                #"{"items":[{"name":"a","quantity":1}],"more":"#
                    + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
                "", "is nested deeper than 32 levels"
            ),
            (#"{"items":{}}"#, "items", "is not a list"), ("{}", "items", "is missing"), ("", "", "is empty"),
        ])
    func malformed(body: String, path: String, message: String) async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.post("/baskets") { request, _ in
                try jsonResponse(try await request.decode(as: Basket.self), status: .created)
            }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/baskets", method: .post, body: ByteBuffer(string: body))
            let problem = try response.problem(.badRequest, "malformed")
            #expect(problem.errors == [Problem.FieldError(path: path, message: message)])
        }
    }

    @Test("A body that is not JSON is answered 400")
    func notJSON() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.post("/baskets") { request, _ in try jsonResponse(try await request.decode(as: Basket.self)) }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(
                uri: "/baskets", method: .post, body: ByteBuffer(string: "{\"items\":["))
            let problem = try response.problem(.badRequest, "malformed")
            #expect(problem.errors?.first?.message.hasPrefix("is not JSON: ") == true)
        }
    }

    @Test("A body over the limit is answered 413, by its announced length or by its bytes")
    func tooLarge() async throws {
        var configuration = HTTPConfiguration()
        configuration.bodyBytesMax = 2_048
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.post("/any") { request, _ in try jsonResponse(try await request.bytes(maxBytes: 100).count) }
        }
        try await service.application.test(.router) { client in
            for size in [101, 2_049] {
                let body = ByteBuffer(repeating: 32, count: size)
                let response = try await client.execute(uri: "/any", method: .post, body: body)
                _ = try response.problem(.contentTooLarge, "too-large")
            }
            let response = try await client.execute(
                uri: "/any", method: .post, body: ByteBuffer(repeating: 32, count: 100))
            #expect(response.status == .ok)
        }
    }

    @Test("An unknown path is answered 404, a known one with another method 405 with those it has")
    func unknown() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.put("/v1/deliveries/{id}/courier") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.router) { client in
            _ = try await client.execute(uri: "/v1/nothing", method: .get).problem(.notFound, "not-found")
            let response = try await client.execute(uri: "/v1/deliveries/7/courier", method: .post)
            let problem = try response.problem(.methodNotAllowed, "method-not-allowed")
            #expect(problem.allowed == ["PUT"])
            #expect(response.headers[.allow] == "PUT")
        }
    }

    @Test("A route's own problem keeps its status, its members and its headers")
    func ownProblems() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/422") { _, _ -> Response in
                throw Problem.impossibleTransition("delivered cannot become picking", allowed: ["disputed"])
            }
            router.get("/412") { _, _ -> Response in throw Problem.stale(current: 18) }
            router.get("/409") { _, _ -> Response in throw Problem.conflict("taken") }
        }
        try await service.application.test(.router) { client in
            let impossible = try await client.execute(uri: "/422", method: .get)
            #expect(try impossible.problem(.unprocessableContent, "impossible-transition").allowed == ["disputed"])
            let stale = try await client.execute(uri: "/412", method: .get)
            _ = try stale.problem(.preconditionFailed, "stale")
            #expect(stale.headers[.eTag] == "\"v18\"")
            _ = try await client.execute(uri: "/409", method: .get).problem(.conflict, "conflict")
        }
    }

    @Test("An error of ours is answered 500 without its text, and logged once with it")
    func internalErrors() async throws {
        let log = LogRecorder()
        let service = makeService(tokens: try await TestTokens(), log: log) { router in
            router.get("/boom") { _, _ -> Response in throw Boom() }
        }
        let trace = try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/boom", method: .get)
            #expect(!String(buffer: response.body).contains("secret"))
            return try response.problem(.internalServerError, "internal").traceID
        }
        let lines = log.lines.filter { $0.contains("the inner secret") }
        #expect(lines.count == 1)
        let traceID = try #require(trace)
        #expect(lines.first?.contains(traceID) == true)
    }

    @Test(
        "A lost or exhausted database is answered 503 with Retry-After; a mistake of ours is not",
        arguments: [
            (PostgresError.Code.connection, 503), (.poolExhausted, 503), (.closed, 503),
            (.statement(sqlState: "57P01"), 503), (.statement(sqlState: "40001"), 503),
            (.statement(sqlState: "42601"), 500), (.decoding, 500),
        ])
    func database(code: PostgresError.Code, status: Int) async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/rows") { _, _ -> Response in throw PostgresError(code, "down") }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/rows", method: .get)
            #expect(response.status.code == status)
            #expect((response.headers[.retryAfter] != nil) == (status == 503))
        }
    }

    @Test("More requests at once than allowed are answered 503 with Retry-After, and health still answers")
    func overload() async throws {
        var configuration = HTTPConfiguration()
        configuration.inFlightRequestsMax = 1
        let gate = Gate()
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.get("/slow") { _, _ in
                enter.finish()
                await gate.pass()
                return HTTPResponse.Status.ok
            }
            router.get("/fast") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.router) { client in
            async let slow = client.execute(uri: "/slow", method: .get)
            for await _ in entered {}
            let refused = try await client.execute(uri: "/fast", method: .get)
            _ = try refused.problem(.serviceUnavailable, "unavailable")
            #expect(refused.headers[.retryAfter] == "1")
            #expect(try await client.execute(uri: "/health/live", method: .get).status == .ok)
            gate.open()
            #expect(try await slow.status == .ok)
            #expect(try await client.execute(uri: "/fast", method: .get).status == .ok)
        }
    }

    @Test("A caller that sends too much is answered 429 with Retry-After, and another is not")
    func rate() async throws {
        var configuration = HTTPConfiguration()
        configuration.callerBurst = 2
        configuration.callerRequestsPerSecond = 0.001
        let tokens = try await TestTokens()
        let service = makeService(tokens: tokens, configuration: configuration) { router in
            router.get("/any") { _, _ in HTTPResponse.Status.ok }
        }
        let greedy = HTTPFields.bearer(try await tokens.token(.store, subject: "greedy"))
        let other = HTTPFields.bearer(try await tokens.token(.store, subject: "other"))
        let ofStore = HTTPFields.bearer(try await tokens.token(.store, subject: "greedy", store: "valby"))
        try await service.application.test(.router) { client in
            for _ in 1...2 {
                #expect(try await client.execute(uri: "/any", method: .get, headers: greedy).status == .ok)
            }
            let response = try await client.execute(uri: "/any", method: .get, headers: greedy)
            _ = try response.problem(.tooManyRequests, "too-many-requests")
            #expect(try #require(response.headers[.retryAfter].flatMap { Int($0) }) > 900)
            for headers in [other, ofStore] {
                #expect(try await client.execute(uri: "/any", method: .get, headers: headers).status == .ok)
            }
        }
    }

    @Test("Without what it can serve without, a service is ready, and says what is degraded and why")
    func degraded() async throws {
        let broker = ReadinessCheck(name: "nats", isRequired: false) { throw Boom() }
        let service = makeService(
            tokens: try await TestTokens(), readiness: [ReadinessCheck(name: "postgres") {}, broker])
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/health/ready", method: .get)
            #expect(response.status == .ok)
            let report = try JSONDecoder().decode(ReadinessReport.self, from: Data(response.body.readableBytesView))
            #expect(report.status == "ready")
            #expect(report.checks.map(\.status) == ["ready", "degraded"])
            #expect(report.checks[1].error != nil)
        }
    }

    @Test("Health names the check that failed and why, and is not ready then or while draining")
    func health() async throws {
        let tokens = try await TestTokens()
        let failing = ReadinessCheck(name: "nats") { throw Boom() }
        let service = makeService(
            tokens: tokens, readiness: [ReadinessCheck(name: "postgres") {}, failing])
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/health/ready", method: .get)
            #expect(response.status == .serviceUnavailable)
            let report = try JSONDecoder().decode(ReadinessReport.self, from: Data(response.body.readableBytesView))
            #expect(report.status == "not_ready")
            #expect(report.checks.map(\.status) == ["ready", "failed"])
            #expect(report.checks.map(\.error) == [nil, "the inner secret"])
            #expect(try await client.execute(uri: "/health/live", method: .get).status == .ok)
        }
        let ready = makeService(tokens: tokens, readiness: [ReadinessCheck(name: "postgres") {}])
        try await ready.application.test(.router) { client in
            #expect(try await client.execute(uri: "/health/ready", method: .get).status == .ok)
            ready.drain.begin()
            let response = try await client.execute(uri: "/health/ready", method: .get)
            #expect(response.status == .serviceUnavailable)
            #expect(String(buffer: response.body).contains("draining"))
        }
    }

    @Test("A check that does not answer in time has failed")
    func slowCheck() async {
        let never = ReadinessCheck(name: "nats") { try await Task.sleep(for: .seconds(3_600)) }
        let results = await readinessResults([never], limit: .milliseconds(1))
        #expect(results.first?.error?.hasPrefix("no answer within") == true)
    }

    @Test("A link is logged as a pattern, never as itself, and requests are counted by pattern")
    func redaction() async throws {
        let log = LogRecorder()
        let metrics = MetricsRegistry()
        let service = makeService(tokens: try await TestTokens(), metrics: metrics, log: log) { router in
            router.get("/l/{link}") { _, _ in HTTPResponse.Status.ok }
            router.get("/c/{link}/presses") { _, _ in HTTPResponse.Status.ok }
            router.get("/v1/orders/{id}") { _, _ in HTTPResponse.Status.ok }
            router.get("/ingest/osmand/{token}") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.router) { client in
            for path in [
                "/l/SECRET", "/c/SECRET/presses", "/c/SECRET/else", "/L/SECRET/more", "//l/SECRET",
                "/v1/orders/o-1?q=SECRET",
                "/ingest/osmand/SECRET?id=SECRET",
                "/Ingest/SECRET", "/ingest/osmand/SECRET/more", "/%6C/SECRET", "/%69ngest/osmand/SECRET",
                "/couriers/ingest/osmand/SECRET", "/osmand/SECRET", "/SECRET", "/v2/orders/SECRET",
                "/" + String(repeating: "S", count: 65),
            ] {
                _ = try await client.execute(uri: path, method: .get)
            }
            let scraped = try await client.execute(uri: "/metrics", method: .get)
            #expect(scraped.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let text = String(buffer: scraped.body)
            #expect(text.contains(#"doorstep_http_requests_total{method="GET",route="/l/{link}",status="200"}"#))
            #expect(
                text.contains(
                    #"doorstep_http_request_duration_seconds_count{method="GET",route="/v1/orders/{id}"} 1"#))
            #expect(!text.contains("SECRET"))
        }
        let lines = log.lines.filter { $0.contains("\"request\"") }
        #expect(
            lines.contains { $0.contains(#""path":"/v1/orders/o-1""#) && $0.contains(#""route":"/v1/orders/{id}""#) })
        #expect(!lines.joined().contains("SECRET") && !lines.joined().contains("SSSS"))
    }

    @Test("The OpenAPI document is served as it is, and the routes are listed for comparison with it")
    func openAPI() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.post("/v1/orders") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/openapi.yaml", method: .get)
            #expect(String(buffer: response.body) == "openapi: 3.1.0\n")
        }
        #expect(service.routes.contains("POST /v1/orders"))
    }

    @Test("A request continues the trace of its traceparent")
    func trace() async throws {
        let service = makeService(tokens: try await TestTokens())
        try await service.application.test(.router) { client in
            let headers: HTTPFields = [
                HTTPField.Name("traceparent")!: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            ]
            let response = try await client.execute(uri: "/nothing", method: .get, headers: headers)
            #expect(try response.problem(.notFound, "not-found").traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        }
    }
}

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import ServiceRuntime

/// A body that never comes to its end, and says when it is waited for.
private struct EndlessBody: AsyncSequence, Sendable {
    let awaited: AsyncStream<Void>.Continuation

    struct Iterator: AsyncIteratorProtocol {
        let awaited: AsyncStream<Void>.Continuation

        mutating func next() async throws -> ByteBuffer? {
            awaited.finish()
            try await Task.sleep(for: .seconds(3_600))
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(awaited: awaited) }
}

@Suite("Limits of requests", .timeLimit(.minutes(10)))
struct RequestLimitsTests {
    private func context() -> AppContext {
        AppContext(source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
    }

    private func get(_ path: String) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("A request whose body is still coming holds no slot")
    func slowBody() async throws {
        var configuration = HTTPConfiguration()
        configuration.inFlightRequestsMax = 1
        let tokens = try await TestTokens()
        let headers = HTTPFields.bearer(try await tokens.token(.store))
        let service = makeService(tokens: tokens, configuration: configuration) { router in
            router.post("/slow") { _, _ in HTTPResponse.Status.ok }
            router.get("/fast") { _, _ in HTTPResponse.Status.ok }
        }
        let responder = service.application.responder
        let (awaited, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let request = Request(
                    head: HTTPRequest(
                        method: .post, scheme: nil, authority: nil, path: "/slow", headerFields: headers),
                    body: RequestBody(asyncSequence: EndlessBody(awaited: continuation)))
                _ = try await responder.respond(to: request, context: context())
            }
            for await _ in awaited {}
            let fast = try await responder.respond(to: get("/fast"), context: context())
            #expect(fast.status == .ok)
            group.cancelAll()
        }
    }

    @Test("A caller that has its share of the slots is answered 429, and another is not")
    func callerSlots() async throws {
        var configuration = HTTPConfiguration()
        configuration.callerInFlightRequestsMax = 1
        let tokens = try await TestTokens()
        let metrics = MetricsRegistry()
        let gate = Gate()
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let service = makeService(tokens: tokens, configuration: configuration, metrics: metrics) { router in
            router.get("/slow") { _, _ in
                enter.finish()
                await gate.pass()
                return HTTPResponse.Status.ok
            }
            router.get("/fast") { _, _ in HTTPResponse.Status.ok }
        }
        let greedy = HTTPFields.bearer(try await tokens.token(.store, subject: "greedy"))
        let other = HTTPFields.bearer(try await tokens.token(.store, subject: "other"))
        try await service.application.test(.router) { client in
            async let slow = client.execute(uri: "/slow", method: .get, headers: greedy)
            for await _ in entered {}
            let refused = try await client.execute(uri: "/fast", method: .get, headers: greedy)
            _ = try refused.problem(.tooManyRequests, "too-many-requests")
            #expect(try await client.execute(uri: "/fast", method: .get, headers: other).status == .ok)
            gate.open()
            #expect(try await slow.status == .ok)
            #expect(try await client.execute(uri: "/fast", method: .get, headers: greedy).status == .ok)
        }
        #expect(metrics.exposition().contains(#"doorstep_http_requests_refused_total{reason="caller_slots"} 1"#))
    }

    @Test("An address that keeps sending bad tokens is answered 429, and its good ones are served")
    func badTokens() async throws {
        let tokens = try await TestTokens()
        let service = makeService(tokens: tokens) { router in
            router.get("/any") { _, context in
                _ = try context.require()
                return HTTPResponse.Status.ok
            }
        }
        let good = HTTPFields.bearer(try await tokens.token(.store))
        try await service.application.test(.router) { client in
            var statuses: [Int] = []
            for _ in 0..<(2 * BadTokenMiddleware.burst) {
                let response = try await client.execute(uri: "/any", method: .get, headers: .bearer("bad.bad.bad"))
                statuses.append(response.status.code)
            }
            #expect(statuses.prefix(BadTokenMiddleware.burst).allSatisfy { $0 == 401 })
            #expect(statuses.contains(429))
            #expect(try await client.execute(uri: "/any", method: .get, headers: good).status == .ok)
            #expect(try await client.execute(uri: "/any", method: .get).status == .unauthorized)
        }
    }

    @Test("A body that is late is answered 408, and its connection is closed")
    func lateBody() async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        configuration.bodyTimeout = .milliseconds(100)
        let tokens = try await TestTokens()
        let token = try await tokens.token(.store)
        let service = makeService(tokens: tokens, configuration: configuration) { router in
            router.post("/any") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.live) { client in
            let connection = try RawConnection(port: try #require(client.port))
            connection.send(
                "POST /any HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: 10\r\n\r\n{")
            let answer = await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 408"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("Of a caller without a token no body is read")
    func nobody() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.post("/any") { _, context in
                _ = try context.require()
                return HTTPResponse.Status.ok
            }
        }
        try await service.application.test(.live) { client in
            let connection = try RawConnection(port: try #require(client.port))
            connection.send("POST /any HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
            let answer = await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 401"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("What is refused before it has arrived is not read on")
    func refusedBody() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.post("/any") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.live) { client in
            let connection = try RawConnection(port: try #require(client.port))
            connection.send("POST /any HTTP/1.1\r\nHost: x\r\nContent-Length: 67108864\r\n\r\n{")
            let answer = await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 413"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("A caller that hangs up in its body is counted as such, and nothing above debug is logged")
    func hungUp() async throws {
        let metrics = MetricsRegistry()
        let log = LogRecorder()
        let tokens = try await TestTokens()
        let token = try await tokens.token(.store)
        let service = makeService(tokens: tokens, metrics: metrics, log: log) { router in
            router.post("/any") { _, _ in HTTPResponse.Status.ok }
        }
        try await service.application.test(.live) { client in
            let connection = try RawConnection(port: try #require(client.port))
            connection.send(
                "POST /any HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: 10\r\n\r\n{")
            connection.close()
            while !metrics.exposition().contains(#"route="/any",status="499"} 1"#) {
                _ = try await client.execute(uri: "/health/live", method: .get)
            }
        }
        let loud = log.lines.filter { line in
            ["info", "warning", "error"].contains { line.contains(#""level":"\#($0)""#) } && line.contains("/any")
        }
        #expect(loud == [])
    }
}

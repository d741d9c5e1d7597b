import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import ServiceRuntime

/// A body whose end comes when a gate opens, and that says when its first part was read.
private struct GatedBody: AsyncSequence, Sendable {
    let first: ByteBuffer
    let isRead: AsyncStream<Void>.Continuation
    let gate: Gate

    struct Iterator: AsyncIteratorProtocol {
        let body: GatedBody
        var parts = 0

        mutating func next() async throws -> ByteBuffer? {
            parts += 1
            if parts == 1 { return body.first }
            body.isRead.finish()
            await body.gate.pass()
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }
}

@Suite("Limits of requests", .timeLimit(.minutes(10)))
struct RequestLimitsTests {
    private func get(_ path: String) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(
        "A request whose body is still coming holds no slot, whether it has a token or not", arguments: [true, false])
    func slowBody(hasToken: Bool) async throws {
        var configuration = HTTPConfiguration()
        configuration.inFlightRequestsMax = 1
        let tokens = try await TestTokens()
        let headers = hasToken ? HTTPFields.bearer(try await tokens.token(.store)) : [:]
        let service = makeService(tokens: tokens, configuration: configuration) { router in
            router.post("/slow") { request, _ in
                _ = try await request.bytes()
                return HTTPResponse.Status.ok
            }
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
                _ = try await responder.respond(to: request, context: AppContext.ofTest())
            }
            for await _ in awaited {}
            let fast = try await responder.respond(to: get("/fast"), context: AppContext.ofTest())
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

    @Test("Bodies above what a caller or the port may hold are refused until others are answered, and small ones never")
    func heldBodies() async throws {
        var configuration = HTTPConfiguration()
        configuration.heldBodyBytesMax = 64 * 1_024
        configuration.callerHeldBodyBytesMax = 40 * 1_024
        let tokens = try await TestTokens()
        let metrics = MetricsRegistry()
        let service = makeService(tokens: tokens, configuration: configuration, metrics: metrics) { router in
            router.post("/any") { request, _ in try jsonResponse(try await request.bytes().count) }
        }
        let greedy = HTTPFields.bearer(try await tokens.token(.store, subject: "greedy"))
        let other = HTTPFields.bearer(try await tokens.token(.store, subject: "other"))
        func answer(to headers: HTTPFields, kibibytes: Int) async throws -> Int {
            let body = RequestBody(buffer: ByteBuffer(repeating: 32, count: kibibytes * 1_024))
            return try await answer(to: headers, body)
        }
        @Sendable func answer(to headers: HTTPFields, _ body: RequestBody) async throws -> Int {
            let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/any", headerFields: headers)
            return try await service.application.responder.respond(
                to: Request(head: head, body: body), context: AppContext.ofTest()
            ).status.code
        }
        let gate = Gate()
        let (read, isRead) = AsyncStream.makeStream(of: Void.self)
        let body = GatedBody(first: ByteBuffer(repeating: 32, count: 48 * 1_024), isRead: isRead, gate: gate)
        async let slow = answer(to: greedy, RequestBody(asyncSequence: body))
        for await _ in read {}
        #expect(try await answer(to: greedy, kibibytes: 32) == 429)
        #expect(try await answer(to: other, kibibytes: 50) == 503)
        #expect(try await answer(to: other, kibibytes: 48) == 200)
        #expect(try await answer(to: greedy, kibibytes: 16) == 200)
        gate.open()
        #expect(try await slow == 200)
        #expect(try await answer(to: greedy, kibibytes: 32) == 200)
        #expect(try await answer(to: other, kibibytes: 50) == 200)
        let lines = metrics.exposition()
        #expect(lines.contains(#"doorstep_http_requests_refused_total{reason="caller_body_bytes"} 1"#))
        #expect(lines.contains(#"doorstep_http_requests_refused_total{reason="body_bytes"} 1"#))
        #expect(lines.contains("doorstep_http_body_bytes_held 0"))
    }

    @Test("Large bodies far above a caller's pace are refused, small ones and others' never")
    func pacedBodies() async throws {
        var configuration = HTTPConfiguration()
        configuration.callerBodyBytesPerSecond = 1
        configuration.callerBodyBurstBytes = 1_024
        let tokens = try await TestTokens()
        let metrics = MetricsRegistry()
        let service = makeService(tokens: tokens, configuration: configuration, metrics: metrics) { router in
            router.post("/any") { request, _ in try jsonResponse(try await request.bytes().count) }
        }
        let greedy = HTTPFields.bearer(try await tokens.token(.store, subject: "greedy"))
        let other = HTTPFields.bearer(try await tokens.token(.store, subject: "other"))
        func answer(to headers: HTTPFields, kibibytes: Int) async throws -> Int {
            let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/any", headerFields: headers)
            let body = RequestBody(buffer: ByteBuffer(repeating: 32, count: kibibytes * 1_024))
            return try await service.application.responder.respond(
                to: Request(head: head, body: body), context: AppContext.ofTest()
            ).status.code
        }
        #expect(try await answer(to: greedy, kibibytes: 144) == 200)
        #expect(try await answer(to: greedy, kibibytes: 144) == 429)
        #expect(try await answer(to: greedy, kibibytes: 16) == 200)
        #expect(try await answer(to: other, kibibytes: 144) == 200)
        let refused = #"doorstep_http_requests_refused_total{reason="caller_body_rate"} 1"#
        #expect(metrics.exposition().contains(refused))
    }

    @Test("A large body above its caller's pace waits until the bytes before it have passed at that pace")
    func waitingBodies() async throws {
        var configuration = HTTPConfiguration()
        configuration.callerBodyBytesPerSecond = 1
        configuration.callerBodyBurstBytes = 1_024
        configuration.bodyTimeout = .seconds(1_000_000)
        let delays = Mutex<[Duration]>([])
        let metrics = MetricsRegistry()
        let pacer = BodyPacer(configuration: configuration, metrics: metrics) { delay in
            delays.withLock { $0.append(delay) }
        }
        try await pacer.wait(for: 100_000, of: "greedy")
        #expect(delays.withLock { $0.isEmpty })
        try await pacer.wait(for: 10, of: "greedy")
        // The burst and the time that passed since are less than a tenth of it.
        #expect(delays.withLock { $0.count == 1 && $0[0] > .seconds(90_000) && $0[0] < .seconds(100_000) })
        #expect(metrics.exposition().contains("doorstep_http_body_bytes_paced_total 10"))
    }

    @Test("A token that has merely expired is answered 401, however often it or bad ones of its address come")
    func expiredTokens() async throws {
        let tokens = try await TestTokens()
        let service = makeService(tokens: tokens) { router in
            router.get("/any") { _, _ in HTTPResponse.Status.ok }
        }
        let expired = HTTPFields.bearer(try await tokens.token(.store, lifetime: -1))
        try await service.application.test(.router) { client in
            var statuses: Set<Int> = []
            for _ in 0..<(2 * BadTokenMiddleware.burst) {
                _ = try await client.execute(uri: "/any", method: .get, headers: .bearer("bad.bad.bad"))
                statuses.insert(try await client.execute(uri: "/any", method: .get, headers: expired).status.code)
            }
            #expect(statuses == [401])
        }
    }

    @Test(
        "Behind a trusted proxy limits of an address are of whom the proxy names, and of their IPv6 network",
        arguments: [
            (["198.51.100.1"], "198.51.100.2"), (["2001:db8:1:1::1", "2001:db8:1:1::2"], "2001:db8:1:2::1"),
        ])
    func behindProxy(senders: [String], other: String) async throws {
        var configuration = HTTPConfiguration()
        configuration.trustedProxies = try #require(TrustedProxies(["10.0.0.0/8"]))
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.get("/any") { _, _ in HTTPResponse.Status.ok }
        }
        let channel = try EmbeddedChannel.connected(from: "10.0.0.1")
        func status(from client: String) async throws -> Int {
            var headers = HTTPFields.bearer("bad.bad.bad")
            headers[try #require(HTTPField.Name("X-Forwarded-For"))] = client
            let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/any", headerFields: headers)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let context = AppContext.ofTest(on: channel)
            return try await service.application.responder.respond(to: request, context: context).status.code
        }
        var (count, last) = (0, 401)
        while last == 401 {
            last = try await status(from: senders[count % senders.count])
            count += 1
        }
        #expect(last == 429 && count > BadTokenMiddleware.burst)
        #expect(try await status(from: other) == 401)
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
            var (count, last) = (0, HTTPResponse.Status.unauthorized)
            while last == .unauthorized {
                last = try await client.execute(uri: "/any", method: .get, headers: .bearer("bad.bad.bad")).status
                count += 1
            }
            #expect(last == .tooManyRequests && count > BadTokenMiddleware.burst)
            #expect(try await client.execute(uri: "/any", method: .get, headers: good).status == .ok)
            #expect(try await client.execute(uri: "/any", method: .get).status == .unauthorized)
        }
    }

    @Test("A body that is late is answered 408, and its connection is closed", arguments: [true, false])
    func lateBody(isForm: Bool) async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        configuration.bodyTimeout = .milliseconds(100)
        let tokens = try await TestTokens()
        let authorization = isForm ? "" : "Authorization: Bearer \(try await tokens.token(.store))\r\n"
        let service = makeService(tokens: tokens, configuration: configuration) { router in
            router.post("/any") { request, _ in
                if isForm { _ = try await request.formValues() }
                return HTTPResponse.Status.ok
            }
        }
        try await service.application.test(.live) { client in
            let connection = try RawConnection(port: try #require(client.port))
            connection.send(
                "POST /any HTTP/1.1\r\nHost: x\r\n\(authorization)Content-Length: 10\r\n\r\n{")
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

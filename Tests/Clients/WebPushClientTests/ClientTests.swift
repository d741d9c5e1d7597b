import Foundation
import NIOHTTP1
import ScriptedPeers
import TestSupport
import Testing
import WebPushTesting

@testable import WebPushClient

@Suite("Sending to a push service", .timeLimit(.minutes(10)))
struct ClientTests {
    // MARK: What is sent

    @Test("A request has what the standards want, and the browser can read its body")
    func request() async throws {
        let service = try await ScriptedHTTPServer.start { _ in .answer(201) }
        let time = WallTime()
        let client = try Fixture.client(time: time)
        let browser = SubscribedBrowser()
        let message = try WebPushMessage(
            plaintext: Array("Your groceries are on their way".utf8), timeToLive: .seconds(90.9), urgency: .high,
            topic: "delivery-1")
        #expect(await client.send(message, to: try browser.subscription(at: service.endpoint)) == .delivered)
        let request = try await service.request()
        #expect(request.head.method == .POST)
        #expect(request.head.uri == "/push/v1?id=abc")
        #expect(request.value("ttl") == "90")
        #expect(request.value("urgency") == "high")
        #expect(request.value("topic") == "delivery-1")
        #expect(request.value("content-encoding") == "aes128gcm")
        #expect(request.value("content-type") == "application/octet-stream")
        #expect(request.value("content-length") == "\(request.body.count)")
        #expect(try browser.decrypt(request.body) == message.plaintext)
        let authorization = try await ReadAuthorization(request.value("authorization") ?? "")
        #expect(authorization.claims.aud == service.origin)
        #expect(authorization.claims.exp == Int(time.now.timeIntervalSince1970) + 12 * 3_600)
    }

    @Test("A message without a topic has no such header, and the largest one is 4,096 bytes")
    func plainRequest() async throws {
        let service = try await ScriptedHTTPServer.start { _ in .answer(201) }
        let client = try Fixture.client()
        let text = String(repeating: "a", count: WebPushMessage.plaintextBytesMax)
        #expect(try await client.send(text, to: service) == .delivered)
        let request = try await service.request()
        #expect(request.value("topic") == nil)
        #expect(request.value("urgency") == "normal")
        #expect(request.body.count == 4_096)
    }

    // MARK: What is answered

    @Test(
        "Each status has its meaning",
        arguments: [
            (200, .delivered), (201, .delivered), (202, .delivered), (204, .delivered), (404, .gone), (410, .gone),
            (413, .tooLarge), (429, .throttled(retryAfter: nil)), (400, .refused(status: 400)),
            (401, .refused(status: 401)), (403, .refused(status: 403)), (406, .refused(status: 406)),
            (451, .refused(status: 451)), (500, .unavailable(.status(500, retryAfter: nil))),
            (502, .unavailable(.status(502, retryAfter: nil))), (503, .unavailable(.status(503, retryAfter: nil))),
            (300, .refused(status: 300)), (304, .refused(status: 304)), (600, .refused(status: 600)),
        ] as [(Int, WebPushResult)])
    func statuses(status: Int, result: WebPushResult) async throws {
        let service = try await ScriptedHTTPServer.start { _ in
            .answer(status, body: status == 204 || status == 304 ? "" : "a reason")
        }
        #expect(try await Fixture.client().send(to: service) == result)
        #expect(service.requestCount == 1)
    }

    @Test(
        "How long to wait is taken from seconds or a date, and from nothing else",
        arguments: [
            (["retry-after": "30"], .seconds(30)), (["retry-after": "0"], .zero), (["retry-after": "-5"], .zero),
            (["retry-after": "999999999"], .seconds(86_400)), (["retry-after": "soon"], nil),
            (["retry-after": ""], nil),
            (["retry-after": "99999999999999999999999"], nil), ([:], nil),
            (
                ["retry-after": "Sun, 06 Nov 1994 08:50:37 GMT", "date": "Sun, 06 Nov 1994 08:49:37 GMT"],
                .seconds(60)
            ),
            (["retry-after": "Sun, 06 Nov 1994 08:50:37 GMT"], .zero),
            (["retry-after": "Wed, 18 Nov 2026 06:14:20 GMT"], .seconds(60)),
        ] as [(HTTPHeaders, Duration?)])
    func retryAfter(headers: HTTPHeaders, wait: Duration?) async throws {
        let now = try #require(ISO8601DateFormatter().date(from: "2026-11-18T06:13:20Z"))
        #expect(headers.retryAfter(now: now) == wait)
        for status in [406, 429, 503] where status != 406 || headers.contains(name: "retry-after") {
            let service = try await ScriptedHTTPServer.start { _ in .answer(status, headers: headers) }
            let client = try Fixture.client(time: WallTime(now))
            #expect(
                try await client.send(to: service)
                    == (status == 503
                        ? .unavailable(.status(503, retryAfter: wait)) : .throttled(retryAfter: wait)))
        }
    }

    @Test(
        "A 406 of Edge's push service is a pause where its own status is of throttling",
        arguments: [
            ("channelthrottled", .throttled(retryAfter: nil)), ("throttled", .throttled(retryAfter: nil)),
            ("dropped", .refused(status: 406)),
        ] as [(String, WebPushResult)])
    func edgeStatus(text: String, result: WebPushResult) async throws {
        let service = try await ScriptedHTTPServer.start { _ in .answer(406, headers: ["x-wns-status": text]) }
        #expect(try await Fixture.client().send(to: service) == result)
    }

    @Test("A redirect is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let other = try await ScriptedHTTPServer.start { _ in .answer(201) }
        let location = other.endpoint
        let service = try await ScriptedHTTPServer.start { _ in .answer(status, headers: ["location": location]) }
        #expect(try await Fixture.client().send(to: service) == .refused(status: status))
        #expect(service.requestCount == 1)
        #expect(other.requestCount == 0 && other.connectionCount == 0)
    }

    @Test("The status decides, whatever becomes of the body: one that hangs, one that never seems to end")
    func bodies() async throws {
        let hanging = try await ScriptedHTTPServer.start { _ in .answerWithoutEnd(201) }
        let client = try Fixture.client { $0.requestTimeout = .milliseconds(300) }
        // On a busy machine the status may be late too, which is another test's matter.
        var result = WebPushResult.unavailable(.timedOut)
        while result == .unavailable(.timedOut) { result = try await client.send(to: hanging) }
        #expect(result == .delivered)
        let endless = try await ScriptedHTTPServer.start { _ in
            .answer(410, body: String(repeating: "a", count: 5_000_000))
        }
        #expect(try await Fixture.client().send(to: endless) == .gone)
    }

    // MARK: What is not answered

    @Test("A push service that hangs is given up after the time-out, and nothing is sent twice")
    func hang() async throws {
        let service = try await ScriptedHTTPServer.start()
        let client = try Fixture.client { $0.requestTimeout = .milliseconds(300) }
        let result = try await client.send(to: service)
        #expect(result == .unavailable(.timedOut))
        #expect(result.mayHaveBeenAccepted == true)
        #expect(service.requestCount <= 1)
    }

    @Test("A connection that ends before the answer is not tried again", arguments: [1, 2])
    func closed(number: Int) async throws {
        let service = try await ScriptedHTTPServer.start { request in
            // The second request is on a connection that was good before.
            number == 1 || request.value("topic") == "last" ? .close : .answer(201)
        }
        let client = try Fixture.client()
        if number == 2 { #expect(try await client.send(to: service) == .delivered) }
        let message = try WebPushMessage(plaintext: [1], timeToLive: .zero, topic: "last")
        let result = await client.send(message, to: try SubscribedBrowser().subscription(at: service.endpoint))
        #expect(result.unavailableCause == "the connection ended before the answer")
        #expect(result.mayHaveBeenAccepted == true)
        #expect(service.requestCount == number)
        #expect(service.connectionCount == 1)
    }

    @Test("What is not HTTP is no answer")
    func garbage() async throws {
        let service = try await ScriptedHTTPServer.start { _ in .raw("220 mail.example ESMTP\r\n\r\n") }
        let result = try await Fixture.client().send(to: service)
        #expect(result.unavailableCause == "the connection ended before the answer")
        #expect(service.requestCount == 1)
    }

    @Test("A port without a server is known not to have taken anything, and fails at once")
    func nobody() async throws {
        let subscription = try SubscribedBrowser().subscription(at: "http://localhost:\(try freePort())/push")
        let client = try Fixture.client { $0.requestTimeout = .seconds(3_600) }
        let result = await client.send(try Fixture.message(), to: subscription)
        #expect(result.unavailableCause == "there is no connection to the push service")
        #expect(result.mayHaveBeenAccepted == false)
    }

    @Test("A name without an address is no connection, and the endpoint is not in what is said of it")
    func noAddress() async throws {
        let subscription = try SubscribedBrowser().subscription(
            at: "https://nowhere.invalid/secret", reach: .publicNames)
        let result = await (try Fixture.client()).send(try Fixture.message(), to: subscription)
        #expect(result.unavailableCause == "there is no connection to the push service")
        #expect(!"\(result)".contains("secret"))
    }

    @Test("A cancelled caller is let go at once")
    func cancellation() async throws {
        let service = try await ScriptedHTTPServer.start()
        let client = try Fixture.client { $0.requestTimeout = .seconds(3_600) }
        let sending = Task { try await client.send(to: service) }
        _ = try await service.request()
        sending.cancel()
        #expect(try await sending.value == .unavailable(.cancelled))
    }

    // MARK: Bounds and ends

    @Test("No more messages are on their way than may be")
    func inFlight() async throws {
        let service = try await ScriptedHTTPServer.start()
        let client = try Fixture.client { $0.requestsInFlightMax = 1 }
        let first = Task { try await client.send(to: service) }
        let request = try await service.request()
        let second = try await client.send(to: service)
        #expect(second == .unavailable(.tooManyInFlight))
        #expect(second.mayHaveBeenAccepted == false)
        request.react(.answer(201))
        #expect(try await first.value == .delivered)
        let third = Task { try await client.send(to: service) }
        try await service.request().react(.answer(201))
        #expect(try await third.value == .delivered)
    }

    @Test("Shutdown refuses what comes, and lets what is on its way finish")
    func drain() async throws {
        let service = try await ScriptedHTTPServer.start { $0.value("topic") == "held" ? .hold : .answer(201) }
        let client = try Fixture.client()
        let subscription = try SubscribedBrowser().subscription(at: service.endpoint)
        try await RunningService.run(client) { stop in
            let held = try WebPushMessage(plaintext: [1], timeToLive: .zero, topic: "held")
            let inFlight = Task { await client.send(held, to: subscription) }
            let request = try await service.request()
            await stop()
            // Until the client knows of it, messages are taken.
            var result = WebPushResult.delivered
            while result == .delivered { result = await client.send(try Fixture.message(), to: subscription) }
            #expect(result == .unavailable(.shuttingDown))
            request.react(.answer(201))
            #expect(await inFlight.value == .delivered)
        }
        #expect(await client.send(try Fixture.message(), to: subscription) == .unavailable(.shuttingDown))
    }

    @Test("A client whose task is cancelled lets nothing finish")
    func cancelledRun() async throws {
        let service = try await ScriptedHTTPServer.start()
        let client = try Fixture.client { $0.requestTimeout = .seconds(3_600) }
        let running = Task { try await client.run() }
        let inFlight = Task { try await client.send(to: service) }
        _ = try await service.request()
        running.cancel()
        try await running.value
        let result = try await inFlight.value
        #expect(result == .unavailable(.connectionLost("the process shut down")))
        #expect(result.mayHaveBeenAccepted == true)
    }

    // MARK: TLS

    @Test("Over TLS messages share one connection of HTTP/2")
    func http2() async throws {
        let server = try await ScriptedHTTP2Server.start { _ in .answer(201) }
        let client = try Fixture.client { $0.trustRootsFile = server.certificate.file }
        let browser = SubscribedBrowser()
        let subscription = try browser.subscription(at: "https://localhost:\(server.port)/push/v1?id=abc")
        try await withThrowingTaskGroup(of: WebPushResult.self) { group in
            for number in 0..<20 {
                group.addTask { await client.send(try Fixture.message("message \(number)"), to: subscription) }
            }
            for try await result in group { #expect(result == .delivered) }
        }
        let requests = try await server.requests(20)
        #expect(requests.allSatisfy { $0.connection == 0 && $0.value(":authority") == "localhost:\(server.port)" })
        let texts = try requests.map { String(decoding: try browser.decrypt($0.body), as: UTF8.self) }
        #expect(Set(texts) == Set((0..<20).map { "message \($0)" }))
    }

    @Test("A server that is not trusted gets nothing")
    func untrusted() async throws {
        let server = try await ScriptedHTTP2Server.start { _ in
            Issue.record("a message was sent")
            return .answer(201)
        }
        let subscription = try SubscribedBrowser().subscription(at: "https://localhost:\(server.port)/push")
        let result = try await Fixture.client().send(try Fixture.message(), to: subscription)
        #expect(result.unavailableCause == "there is no connection to the push service")
        #expect(result.mayHaveBeenAccepted == false)
    }

    // MARK: Settings

    @Test("A setting out of range, and a file without certificates, are refused at the start")
    func settings() throws {
        let faults: [((inout WebPushConfiguration) -> Void, String)] = [
            ({ $0.requestsInFlightMax = 0 }, "web.push"), ({ $0.connectionsPerHostMax = 0 }, "web.push"),
            ({ $0.requestTimeout = .zero }, "web.push"), ({ $0.connectTimeout = .seconds(-1) }, "web.push"),
            ({ $0.trustRootsFile = "/nowhere/roots.pem" }, "web.push.trust.roots.file"),
        ]
        for (change, setting) in faults {
            #expect { try Fixture.client(adjust: change) } throws: {
                ($0 as? WebPushConfigurationError)?.setting == setting
            }
        }
    }
}

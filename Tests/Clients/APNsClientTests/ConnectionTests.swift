import APNsClient
import Foundation
import NIOHPACK
import NIOHTTP2
import ScriptedPeers
import Testing

@Suite("Connections to APNs", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("One stream is open until a request was accepted, then as many as the settings allow")
    func streamsBeforeAndAfterAuthentication() async throws {
        let server = try await ScriptedHTTP2Server.start(streamsMax: 4)
        let client = try Fixture.client(server)
        let sends = send(9, by: client)
        let first = try await server.request()
        #expect(server.openMax == 1)
        // A refusal does not open the connection for more.
        server.answer(first, 400, body: #"{"reason":"BadDeviceToken"}"#)
        let second = try await server.request()
        #expect(server.openMax == 1)
        server.answer(second, 200)
        let four = try await server.requests(4)
        #expect(server.openMax == 4)
        for request in four { server.answer(request, 200) }
        for request in try await server.requests(3) { server.answer(request, 200) }
        var accepted = 0
        for send in sends where await send.value.isAccepted { accepted += 1 }
        #expect(accepted == 8)
        #expect(server.openMax == 4)
    }

    @Test("Settings that allow fewer streams, or none, hold while others are in flight; later ones lift it again")
    func loweredWhileInFlight() async throws {
        let server = try await ScriptedHTTP2Server.start(streamsMax: 3)
        let client = try Fixture.client(server)
        let sends = send(8, by: client)
        server.answer(try await server.request(), 200)
        let three = try await server.requests(3)
        server.settings(0, streamsMax: 1)
        _ = try await server.next { if case .settingsAcknowledged = $0 { true } else { nil } }
        // Two answers leave one open, which is what is allowed now: the next request follows the third answer only.
        server.answer(three[0], 200)
        server.answer(three[1], 200)
        func expectSettingsAcknowledged() async throws {
            _ = try await server.next { event -> Bool? in
                if case .request = event { Issue.record("A request above the limit") }
                return if case .settingsAcknowledged = event { true } else { nil }
            }
        }
        server.settings(0, streamsMax: 0)
        try await expectSettingsAcknowledged()
        server.answer(three[2], 200)
        server.settings(0, streamsMax: 2)
        try await expectSettingsAcknowledged()
        for request in try await server.requests(2) { server.answer(request, 200) }
        for request in try await server.requests(2) { server.answer(request, 200) }
        for send in sends { #expect(await send.value.isAccepted) }
    }

    @Test(
        "After a GOAWAY, streams above its last are not sent, those below may be answered, others use a new connection")
    func goAway() async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true)
        let sends = send(4, by: client)
        let four = try await server.requests(4).sorted { $0.stream < $1.stream }
        server.goAway(0, last: four[1].stream, reason: "Shutdown")
        let numbers = try four.map { try #require(Int($0.value("apns-id")?.suffix(2) ?? "", radix: 16)) }
        for above in numbers[2...] {
            #expect(await sends[above].value == .notSent(.connectionClosing(reason: "Shutdown")))
        }
        try await server.acceptRequest(of: client, connection: 1)
        server.answer(four[0], 200)
        server.reset(four[1], .internalError)
        #expect(await sends[numbers[0]].value.isAccepted)
        #expect(await sends[numbers[1]].value == .unknown(.streamReset(code: 2)))
        // The last answer ends the old connection.
        _ = try await server.next { if case .closed(0) = $0 { true } else { nil } }
    }

    @Test("A connection that breaks leaves what was in flight unknown, and the next request opens another")
    func broken() async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true)
        let lost = send(2, by: client)
        _ = try await server.requests(2)
        server.close(0)
        for send in lost {
            #expect(await send.value.lossReason != nil)
        }
        try await server.acceptRequest(of: client, connection: 1)
    }

    @Test("A silent connection with requests in flight is dropped when a PING has no answer")
    func pingUnanswered() async throws {
        let (server, client) = try await Fixture.pair {
            $0.pingAfterSilence = .milliseconds(50)
            $0.pingTimeout = .milliseconds(50)
            $0.requestTimeout = .seconds(50)
        }
        let (first, _) = try await server.requestSent(by: client)
        // From here on the server's channel reads nothing, and so answers nothing; on a busy machine an answer may have been
        // too late already.
        try? await server.stopReading(0)
        #expect(await first.value.lossReason?.contains("PING") == true)
    }

    @Test("A connection that is idle is pinged, and kept when the answer comes")
    func pingWhenIdle() async throws {
        let server = try await ScriptedHTTP2Server.start { _ in .answer(200) }
        let client = try Fixture.client(server) {
            $0.pingWhenIdle = .milliseconds(20)
            $0.pingAfterSilence = .seconds(3_600)
            $0.pingTimeout = .seconds(30)
        }
        #expect(await client.send(Fixture.request()).isAccepted)
        for _ in 0..<3 { _ = try await server.next { if case .ping(0) = $0 { true } else { nil } } }
        #expect(await client.send(Fixture.request()).isAccepted)
        #expect(try await server.request().connection == 0)
    }

    @Test("A request without an answer is unknown after its time-out, and its stream is reset")
    func timeOut() async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true)
        var result = APNsResult.notSent(.timedOut)
        // A busy machine may need more than the time-out to write it.
        while result == .notSent(.timedOut) { result = await client.send(Fixture.request(), timeout: .seconds(2)) }
        #expect(result == .unknown(.timedOut))
        let stream = try await server.request().stream
        let reset = try await server.next { if case .reset(0, let stream) = $0 { stream } else { nil } }
        #expect(reset == stream)
    }

    @Test("A request that got no stream in its time was not sent")
    func timeOutWaiting() async throws {
        let (server, client) = try await Fixture.pair()
        let (first, request) = try await server.requestSent(by: client)
        #expect(await client.send(Fixture.request(1), timeout: .milliseconds(50)) == .notSent(.timedOut))
        server.answer(request, 200)
        #expect(await first.value.isAccepted)
    }

    @Test("Cancellation ends the wait: not sent before it has a stream, unknown and reset after")
    func cancelled() async throws {
        let (server, client) = try await Fixture.pair()
        let (sent, request) = try await server.requestSent(by: client)
        let waiting = send(1, by: client, from: 1)
        waiting[0].cancel()
        #expect(await waiting[0].value == .notSent(.cancelled))
        sent.cancel()
        #expect(await sent.value == .unknown(.cancelled))
        let reset = try await server.next { if case .reset(0, let stream) = $0 { stream } else { nil } }
        #expect(reset == request.stream)
    }

    @Test("A stream that is refused was not sent; one that is reset otherwise is unknown")
    func resetBeforeHeaders() async throws {
        let (server, client) = try await Fixture.pair()
        let first = send(1, by: client)
        server.reset(try await server.request(), .refusedStream)
        #expect(await first[0].value == .notSent(.streamRefused))
        let second = send(1, by: client)
        server.reset(try await server.request(), .cancel)
        #expect(await second[0].value == .unknown(.streamReset(code: 8)))
    }

    @Test("A body that does not end within the time-out does not hide what its status said")
    func slowBody() async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true)
        func answered() async throws -> APNsResult {
            let result = Task { await client.send(Fixture.request(), timeout: .seconds(2)) }
            server.answer(try await server.request(), 410, body: #"{"rea"#, ends: false)
            return await result.value
        }
        var result = try await answered()
        // A busy machine may need more than the time-out for the answer's head.
        while result == .unknown(.timedOut) { result = try await answered() }
        let refusal = try #require(result.refusal)
        #expect(refusal == APNsRefusal(status: 410, reason: .other("")))
        #expect(refusal.remedy == .dropToken)
    }

    @Test("An endless body is cut off: the status decides, and the stream is reset")
    func endlessBody() async throws {
        let (server, client) = try await Fixture.pair()
        let (result, request) = try await server.requestSent(by: client)
        server.answer(request, 500, body: String(repeating: "x", count: 4_000), ends: false)
        server.data(String(repeating: "x", count: 4_000), on: request, ends: false)
        #expect(await result.value == .refused(APNsRefusal(status: 500, reason: .other(""))))
        _ = try await server.next { if case .reset(0, request.stream) = $0 { true } else { nil } }
    }

    @Test("Bodies of many answers do not use up the connection's window")
    func windowIsReturned() async throws {
        let padding = String(repeating: " ", count: 3_000)
        let server = try await ScriptedHTTP2Server.start { _ in
            .answer(429, body: #"{"reason":"TooManyRequests"}"# + padding)
        }
        let client = try Fixture.client(server)
        // 120 kB, of a window of 65,535 bytes.
        for number in 0..<40 {
            #expect(await client.send(Fixture.request(number)).refusal?.reason == .tooManyRequests)
        }
    }

    @Test("Bodies that come after their callers gave up do not use up the connection's window either")
    func windowOfStreamsGivenUp() async throws {
        let (server, client) = try await Fixture.pair()
        let bytes = 4_000
        // A DATA frame (RFC 9113, section 6.1) of a stream that the client has reset.
        func late(_ stream: Int) -> [UInt8] {
            [0, UInt8(bytes >> 8), UInt8(bytes & 0xff), 0, 0]
                + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + Array(repeating: 0x20, count: bytes)
        }
        // 80 kB, of a window of 65,535 bytes.
        for _ in 0..<20 {
            let (givenUp, request) = try await server.requestSent(by: client)
            givenUp.cancel()
            #expect(await givenUp.value == .unknown(.cancelled))
            _ = try await server.next { if case .reset(_, request.stream) = $0 { true } else { nil } }
            server.raw(late(Int(request.stream)), connection: request.connection)
            try await server.acceptRequest(of: client)
        }
    }

    @Test(
        "An answer without a status, or with one that is none, is unknown",
        arguments: [HPACKHeaders([("apns-id", "x")]), HPACKHeaders([(":status", "ok")])])
    func noStatus(headers: HPACKHeaders) async throws {
        let (server, client) = try await Fixture.pair()
        let (result, request) = try await server.requestSent(by: client)
        server.headers(headers, on: request, ends: true)
        guard case .unknown = await result.value else {
            Issue.record("\(await result.value)")
            return
        }
    }

    @Test("Bytes that are no frames end the connection, and the next request opens another")
    func wrongFrames() async throws {
        let (server, client) = try await Fixture.pair()
        // One that was never authenticated would be followed by a pause.
        try await server.acceptRequest(of: client)
        let (result, _) = try await server.requestSent(by: client)
        // A PING of 4 bytes, where 8 are due.
        server.raw([0, 0, 4, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4], connection: 0)
        #expect(await result.value.lossReason != nil)
        try await server.acceptRequest(of: client, connection: 1)
    }

    @Test("Several connections take requests in turns, each with its own limit")
    func roundRobin() async throws {
        let server = try await ScriptedHTTP2Server.start(streamsMax: 2)
        let client = try Fixture.client(server) { $0.connections = 3 }
        let first = send(3, by: client)
        let three = try await server.requests(3)
        #expect(Set(three.map(\.connection)) == [0, 1, 2])
        #expect(server.openMax == 1)
        for request in three { server.answer(request, 200) }
        for send in first { #expect(await send.value.isAccepted) }
        let second = send(6, by: client)
        let six = try await server.requests(6)
        for connection in 0..<3 { #expect(six.count { $0.connection == connection } == 2) }
        for request in six { server.answer(request, 200) }
        for send in second { #expect(await send.value.isAccepted) }
        // Also while one of them would do.
        var turns: Set<Int> = []
        for number in 0..<3 {
            let (one, request) = try await server.requestSent(by: client, number)
            turns.insert(request.connection)
            server.answer(request, 200)
            #expect(await one.value.isAccepted)
        }
        #expect(turns == [0, 1, 2])
    }

    @Test(
        "A refusal that ends the connection has the next request open another",
        arguments: [
            (400, "IdleTimeout"), (403, "UnrelatedKeyIdInToken"), (503, "Shutdown"), (503, "ServiceUnavailable"),
        ])
    func reconnects(status: Int, reason: String) async throws {
        let server = try await ScriptedHTTP2Server.start { request in
            request.connection == 0 ? .answer(status, body: #"{"reason":"\#(reason)"}"#) : .answer(200)
        }
        let client = try Fixture.client(server)
        let refusal = try #require(await client.send(Fixture.request()).refusal)
        #expect(refusal.reason.name == reason)
        #expect(refusal.remedy == .reconnect)
        _ = try await server.next { if case .closed(0) = $0 { true } else { nil } }
        var result = await client.send(Fixture.request())
        // The pause before the next connection is a millisecond here.
        while case .notSent(.noConnection) = result { result = await client.send(Fixture.request()) }
        #expect(result.isAccepted)
    }
}

import APNsClient
import NIOHPACK
import NIOHTTP2
import ScriptedPeers
import Testing

/// What servers do that are not Apple's, and what Apple's may do by the protocol.
@Suite("Answers of other servers", .timeLimit(.minutes(10)))
struct ForeignServerTests {
    @Test("A server that does not choose HTTP/2 and speaks first is named, and nothing of it is read")
    func greets() async throws {
        let server = try await ScriptedHTTP2Server.start(protocols: [], greeting: "220 ready")
        #expect(try await Fixture.client(server).send(Fixture.request()).failure.contains("HTTP/2"))
    }

    @Test(
        "An answer that HTTP/2 forbids is unknown, and the other requests of its connection are answered",
        arguments: [
            HPACKHeaders([(":status", "200"), ("connection", "keep-alive")]),
            HPACKHeaders([(":status", "200"), ("transfer-encoding", "chunked")]),
            HPACKHeaders([(":status", "200"), ("content-length", "5")]),
            HPACKHeaders([(":status", "200"), (":status", "400")]), HPACKHeaders([("apns-id", "x")]),
        ])
    func malformed(headers: HPACKHeaders) async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true)
        let (first, malformed) = try await server.requestSent(by: client)
        let (second, other) = try await server.requestSent(by: client)
        server.headers(headers, on: malformed, ends: true)
        #expect(await first.value == .unknown(.streamReset(code: 1)))
        server.answer(other, 200)
        #expect(await second.value.isAccepted)
        try await server.acceptRequest(of: client)
    }

    @Test("An answer that comes before the body could be sent gives its stream back")
    func earlyAnswer() async throws {
        let server = try await ScriptedHTTP2Server.start(streamsMax: 1, bodyWindow: 0, waitsForBodies: false) { _ in
            .answer(413, body: #"{"reason":"PayloadTooLarge"}"#)
        }
        let client = try Fixture.client(server)
        for number in 0..<3 {
            #expect(await client.send(Fixture.request(number)).refusal?.reason == .payloadTooLarge)
        }
        for _ in 0..<3 { _ = try await server.next { if case .reset(0, _) = $0 { true } else { nil } } }
    }

    @Test("A body waits for the server's window, and is sent as far as that goes")
    func smallWindow() async throws {
        let server = try await ScriptedHTTP2Server.start(bodyWindow: 7) { _ in .answer(200) }
        let client = try Fixture.client(server)
        #expect(await client.send(Fixture.request(body: #"{"a":1}"#)).isAccepted)
        // No update of the window comes for the ten bytes.
        var result = APNsResult.notSent(.timedOut)
        // A busy machine may need more than the time-out to write its beginning.
        while result == .notSent(.timedOut) { result = await client.send(Fixture.request(), timeout: .seconds(5)) }
        #expect(result == .unknown(.timedOut))
        #expect(await client.send(Fixture.request(body: #"{"a":2}"#)).isAccepted)
    }

    @Test("A connection that is given up gets no request more, though its server does not close it")
    func givenUp() async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true) {
            $0.pingAfterSilence = .milliseconds(100)
            $0.pingTimeout = .milliseconds(1_500)
        }
        let (first, one) = try await server.requestSent(by: client)
        let (second, other) = try await server.requestSent(by: client, 1)
        // On a busy machine an answer to a PING may have been too late already.
        for connection in Set([one.connection, other.connection]) { try? await server.stopReading(connection) }
        // TLS waits five seconds more for a peer that says no farewell.
        #expect(await first.value.lossReason != nil)
        #expect(await second.value.lossReason != nil)
        try await server.acceptRequest(of: client, connection: other.connection + 1)
    }

    @Test("A server that ends gracefully says so twice: what is in flight is answered up to the second last")
    func gracefulEnd() async throws {
        let (server, client) = try await Fixture.pair(isAuthenticated: true)
        let (first, counted) = try await server.requestSent(by: client)
        let (second, _) = try await server.requestSent(by: client)
        server.goAway(0, last: .maxID, reason: nil)
        // Its answer comes once the client knows of the end too.
        server.settings(0, streamsMax: 100)
        _ = try await server.next { if case .settingsAcknowledged(0) = $0 { true } else { nil } }
        let (later, onNew) = try await server.requestSent(by: client)
        #expect(onNew.connection == 1)
        server.goAway(0, last: counted.stream, reason: nil)
        #expect(await second.value == .notSent(.connectionClosing(reason: nil)))
        server.answer(counted, 200)
        server.answer(onNew, 200)
        #expect(await first.value.isAccepted)
        #expect(await later.value.isAccepted)
    }

    @Test(
        "What a GOAWAY says is kept as it is where it is not JSON",
        arguments: [
            ("Maximum active streams violated", "Maximum active streams violated"),
            (#"{"reason":"Shutdown","x":1}"#, "Shutdown"), ("\u{7}\n", nil), ("", nil),
        ])
    func goAwayText(debug: String, reason: String?) async throws {
        let (server, client) = try await Fixture.pair()
        let (result, _) = try await server.requestSent(by: client)
        server.goAway(0, last: 0, debug: debug)
        #expect(await result.value == .notSent(.connectionClosing(reason: reason)))
    }

    @Test("Frames without data before the last one do not end the connection")
    func emptyFrames() async throws {
        let (server, client) = try await Fixture.pair()
        let (result, request) = try await server.requestSent(by: client)
        server.headers(HPACKHeaders([(":status", "400")]), on: request, ends: false)
        for _ in 0..<3 { server.data("", on: request, ends: false) }
        server.data(#"{"reason":"BadTopic"}"#, on: request, ends: true)
        #expect(await result.value.refusal?.reason == .badTopic)
    }
}

import APNsClient
import NIOSSL
import ScriptedPeers
import TestSupport
import Testing

@Suite("Connections to APNs that do not come about, and ends", .timeLimit(.minutes(10)))
struct FailedConnectionTests {
    // MARK: Connections that do not come about

    /// A server that was stopped, and a client that has paused four times before another connection to it.
    private func backingOff(_ lines: LogLines) async throws -> (ScriptedHTTP2Server, APNsClient) {
        let server = try await ScriptedHTTP2Server.start(port: try freePort())
        try await server.stop()
        let client = try Fixture.client(server, lines: lines) { $0.reconnectWaitMax = .seconds(3_600) }
        while lines.pauses.count < 4 { _ = await client.send(Fixture.request()) }
        return (server, client)
    }

    @Test("A server that does not choose HTTP/2 is named, and nothing is sent to it")
    func wrongALPN() async throws {
        let server = try await ScriptedHTTP2Server.start(protocols: ["http/1.1"])
        let client = try Fixture.client(server)
        #expect(await client.send(Fixture.request()).failure.contains("ALPN"))
    }

    @Test("A server that speaks nothing newer than TLS 1.1 is refused, and named as such")
    func oldTLS() async throws {
        let server = try await ScriptedHTTP2Server.start(tlsMax: .tlsv11) { _ in .answer(200) }
        let client = try Fixture.client(server)
        let reason = await client.send(Fixture.request()).failure
        #expect(reason.contains("TLS failed") && reason.contains("PROTOCOL"), "\(reason)")
    }

    @Test("A certificate that is not trusted is refused")
    func untrusted() async throws {
        let server = try await ScriptedHTTP2Server.start { _ in .answer(200) }
        let other = try TestCertificate()
        let client = try Fixture.client(server) { $0.trustRootsFile = other.file }
        #expect(await client.send(Fixture.request()).failure.contains("CERTIFICATE_VERIFY_FAILED"))
    }

    @Test("A certificate for another host is refused")
    func otherHost() async throws {
        let server = try await ScriptedHTTP2Server.start(host: "127.0.0.2") { _ in .answer(200) }
        let client = try Fixture.client(server) { $0.productionURL = "https://127.0.0.2:\(server.port)" }
        let reason = await client.send(Fixture.request()).failure
        #expect(reason.contains("TLS failed"), "\(reason)")
    }

    @Test("A port without a server fails at once")
    func nobody() async throws {
        let server = try await ScriptedHTTP2Server.start(port: try freePort())
        try await server.stop()
        let client = try Fixture.client(server)
        #expect(await client.send(Fixture.request()).failure.contains("connecting failed"))
    }

    @Test("A server that takes the connection and says nothing is given up after the connect time-out")
    func silentFromTheStart() async throws {
        let server = try await ScriptedHTTP2Server.start(isSilent: true)
        let client = try Fixture.client(server) { $0.connectTimeout = .milliseconds(100) }
        #expect(await client.send(Fixture.request()).failure.contains("not ready"))
    }

    @Test("While connections back off, a request is not sent at once instead of waiting")
    func backingOff() async throws {
        let server = try await ScriptedHTTP2Server.start(port: try freePort())
        try await server.stop()
        let client = try Fixture.client(server) {
            $0.reconnectWait = .seconds(3_600)
            $0.reconnectWaitMax = .seconds(3_600)
        }
        _ = await client.send(Fixture.request())
        // A server now would answer, but the connection is not tried for an hour.
        let again = try await ScriptedHTTP2Server.start(port: server.port, certificate: server.certificate) { _ in
            .answer(200)
        }
        #expect(await client.send(Fixture.request()).failure.contains("connecting failed"))
        try await again.stop()
    }

    @Test("The pause before the next connection grows with every failure")
    func growingPause() async throws {
        let lines = LogLines()
        _ = try await backingOff(lines)
        #expect(lines.pauses == lines.pauses.sorted() && lines.pauses[3] > 4 * lines.pauses[0])
    }

    @Test("A connection on which a request was accepted makes the next failure the first again")
    func pauseAfterSuccess() async throws {
        let lines = LogLines()
        let (server, client) = try await backingOff(lines)
        let again = try await ScriptedHTTP2Server.start(port: server.port, certificate: server.certificate) { _ in
            .answer(200)
        }
        while await !client.send(Fixture.request()).isAccepted {}
        let before = lines.pauses.count
        try await again.stop()
        while lines.pauses.count == before { _ = await client.send(Fixture.request()) }
        #expect(lines.pauses[before] < lines.pauses[1])
    }

    // MARK: Bounds and ends

    @Test("A full queue refuses the next request, and only that one")
    func queueFull() async throws {
        let (server, client) = try await Fixture.pair { $0.requestsWaitingMax = 2 }
        let (first, request) = try await server.requestSent(by: client)
        var results: [APNsResult] = []
        await withTaskGroup(of: APNsResult.self) { group in
            for number in 1...3 { group.addTask { await client.send(Fixture.request(number)) } }
            if let full = await group.next() { results.append(full) }
            #expect(results == [.notSent(.queueFull)])
            server.answer(request, 200)
            for request in (try? await server.requests(2)) ?? [] { server.answer(request, 200) }
            for await result in group { results.append(result) }
        }
        #expect(await first.value.isAccepted)
        #expect(results.count { $0.isAccepted } == 2)
    }

    @Test("Shutdown refuses what waits and what comes, and lets what is in flight finish")
    func drain() async throws {
        let (server, client) = try await Fixture.pair()
        try await RunningService.run(client) { stop in
            let (inFlight, request) = try await server.requestSent(by: client)
            let waiting = send(1, by: client, from: 1)
            await stop()
            #expect(await waiting[0].value == .notSent(.shuttingDown))
            #expect(await client.send(Fixture.request(2)) == .notSent(.shuttingDown))
            server.answer(request, 200)
            #expect(await inFlight.value.isAccepted)
        }
        _ = try await server.next { if case .closed(0) = $0 { true } else { nil } }
    }

    @Test("What is in flight when the drain time ends is unknown")
    func drainEnds() async throws {
        let (server, client) = try await Fixture.pair { $0.drainTimeout = .milliseconds(50) }
        try await RunningService.run(client) { stop in
            let (inFlight, _) = try await server.requestSent(by: client)
            await stop()
            #expect(await inFlight.value == .unknown(.shuttingDown))
        }
    }
}

extension LogLines {
    /// Seconds before each next connection.
    fileprivate var pauses: [Double] {
        all.compactMap { line in
            line.firstRange(of: "\"wait_seconds\": ").flatMap {
                Double(line[$0.upperBound...].prefix { $0.isNumber || ".e-".contains($0) })
            }
        }
    }
}

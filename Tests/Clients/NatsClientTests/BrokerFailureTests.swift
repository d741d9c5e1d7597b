import Logging
import NatsClient
import TestSupport
import Testing

@Suite("A broker that fails", .timeLimit(.minutes(10)))
struct BrokerFailureTests {
    @Test("After kill -9 of the server the client reconnects by itself, and nothing acknowledged is lost")
    func killed() async throws {
        try await withPrivateServer { server, client in
            let fixture = try await Fixture(client)
            let tally = Tally()
            try await reading(fixture.consumer, tally) {
                async let published = publishing(fixture, count: 3_000)
                for stop in [500, 1_500] {
                    try await eventually("\(stop) seen") { tally.keys.count >= stop }
                    await server.kill9()
                    try await server.start()
                }
                let acknowledged = await published
                #expect(acknowledged.count == 3_000)
                try await eventually("all seen") { tally.keys.isSuperset(of: acknowledged) }
            }
            #expect(try await fixture.jetStream.streamInfo(fixture.stream)?.messages == 3_000)
        }
    }

    @Test("A message that cannot be settled because the connection broke is no error of its work")
    func unsettled() async throws {
        let lines = LogLines()
        try await withPrivateServer(logger: lines.logger) { server, client in
            let fixture = try await Fixture(client)
            let failed = Tally()
            try await beside({
                try await fixture.consumer.forEach { message in
                    await server.kill9()
                    try await eventually("the loss is noticed") { !client.isConnected }
                    do {
                        try await message.settle(.acknowledge)
                    } catch {
                        failed.add("acknowledge")
                        throw error
                    }
                }
            }) {
                try await fixture.publish(0..<1)
                try await eventually("it is logged") { lines.all.contains { $0.contains("Work on a message failed") } }
            }
            #expect(failed.total == 1)
            #expect(!lines.all.contains { $0.hasPrefix("error: Work on a message failed") })
        }
    }

    @Test("A consumer resumes after the store was deleted and stream and consumer are created again")
    func storeDeleted() async throws {
        let lines = LogLines()
        try await withPrivateServer(logger: lines.logger) { server, client in
            let fixture = try await Fixture(client)
            let tally = Tally()
            try await reading(fixture.consumer, tally) {
                try await fixture.publish(0..<10)
                try await eventually("ten seen") { tally.keys.count == 10 }
                await server.stop()
                try server.deleteStore()
                try await server.start()
                try await eventually("the wait is logged") {
                    lines.all.contains { $0.contains("Waiting for a stream and its consumer") }
                }
                try await fixture.make()
                try await fixture.publish(10..<20)
                try await eventually("twenty seen") { tally.keys.count == 20 }
            }
            #expect(lines.all.contains { $0.contains("The consumer delivers again") })
            #expect(lines.all.contains { $0.contains("Lost the connection to NATS") })
            #expect(!lines.all.contains { $0.contains("No connection to NATS") }, "an outage of a moment is a warning")
        }
    }

    @Test("A consumer resumes after its stream was deleted and created again")
    func streamRemade() async throws {
        try await withPrivateServer { server, client in
            let fixture = try await Fixture(client)
            let tally = Tally()
            try await reading(fixture.consumer, tally) {
                for round in 0..<3 {
                    try await fixture.publish(round * 10..<round * 10 + 10)
                    try await eventually("round \(round)") { tally.keys.count == round * 10 + 10 }
                    try await fixture.jetStream.deleteStream(fixture.stream)
                    try await fixture.make()
                }
            }
        }
    }

    @Test("A consumer that is missing at first starts once it is created")
    func missingAtFirst() async throws {
        let lines = LogLines()
        try await withPrivateServer(logger: lines.logger) { server, client in
            let tally = Tally()
            let consumer = client.jetStream.consumer(stream: "LATER", durable: "reader")
            try await reading(consumer, tally) {
                try await eventually("it is logged") { lines.all.contains { $0.contains("Waiting for a stream") } }
                try await client.jetStream.createOrUpdateStream(
                    StreamConfiguration(name: "LATER", subjects: ["later.>"]))
                try await client.jetStream.createOrUpdateConsumer(
                    stream: "LATER", ConsumerConfiguration(durable: "reader"))
                _ = try await client.jetStream.publish([65], to: "later.a")
                try await eventually("seen") { tally["A"] == 1 }
            }
            #expect(lines.all.count { $0.contains("Waiting for a stream") } == 1)
        }
    }

    @Test("A subscription outlives a restart, and a request that was open fails as disconnected")
    func subscriptionReturns() async throws {
        try await withPrivateServer { server, client in
            let subscription = try await client.subscribe("news")
            async let open = client.request([], to: "news", timeout: .seconds(600))
            _ = await subscription.first { _ in true }
            await server.kill9()
            do {
                _ = try await open
                Issue.record("It was answered by nobody")
            } catch let error as NatsError {
                #expect(error.code == .disconnected)
            }
            try await server.start()
            try await eventually("connected") { client.isConnected }
            try await client.publish([1], to: "news")
            #expect(await subscription.first { _ in true }?.payload == [1])
        }
    }

    @Test("A client that starts before its server waits, logs it once, and connects when it starts")
    func serverComesLater() async throws {
        let server = try PrivateNats()
        let lines = LogLines()
        let client = NatsClient(server.configuration, logger: lines.logger)
        try await beside({ try await client.run() }) {
            try await eventually("it is logged") { lines.all.contains { $0.contains("No connection to NATS") } }
            try await server.start()
            try await eventually("connected") { client.isConnected }
        }
        #expect(lines.all.count { $0.contains("No connection to NATS") } == 1)
    }

    @Test("While the server hangs, cancellation ends every wait for it, and no time-out does")
    func hangs() async throws {
        let server = try PrivateNats()
        try await server.start()
        try await withClient(server.configuration) { client in
            let fixture = try await Fixture(client)
            server.pause()
            defer { server.resume() }
            let waits: [@Sendable () async throws -> Void] = [
                { try await client.check(timeout: .seconds(600)) },
                { _ = try await client.request([], to: "news", timeout: .seconds(600)) },
                { _ = try await client.jetStream.publish([], to: fixture.subject("a"), timeout: .seconds(600)) },
                { _ = try await fixture.jetStream.streamInfo(fixture.stream) },
            ]
            for wait in waits {
                // Cancelled before it begins, while it begins, and while it waits.
                for yields in [0, 1, 10] {
                    let waiting = Task { try await wait() }
                    for _ in 0..<yields { await Task.yield() }
                    waiting.cancel()
                    // A wait that went on would end with a time-out, or after ten minutes.
                    await #expect(throws: CancellationError.self) { try await waiting.value }
                }
            }
        }
    }

    @Test("What the server does not permit is an error for who waits and a log line for who does not")
    func notPermitted() async throws {
        let lines = LogLines()
        try await withUser(
            "limited", #"publish: ["allowed.>"], subscribe: ["allowed.>", "_INBOX_limited.>"]"#, logger: lines.logger
        ) { client in
            try await client.publish([], to: "forbidden.a")
            try await eventually("it is logged") {
                lines.all.contains { $0.contains("error") && $0.contains("forbidden.a") }
            }
            let error = await #expect(throws: NatsError.self) {
                try await client.request([], to: "forbidden.b", timeout: .seconds(600))
            }
            #expect(error?.code == .notPermitted)
            #expect(error?.isRetriable == false)
            let results = await client.jetStream.publish(
                [OutgoingMessage(subject: "forbidden.c", payload: [])], timeout: .seconds(600))
            #expect(results.count == 1)
            #expect(throws: NatsError.self) { try results[0].get() }
            _ = try await client.subscribe("forbidden.d")
            try await eventually("it is logged") { lines.all.contains { $0.contains("forbidden.d") } }
            let subscription = try await client.subscribe("allowed.a")
            try await client.publish([1], to: "allowed.a")
            #expect(await subscription.first { _ in true }?.payload == [1])
        }
    }

    @Test("A client that requests nothing needs no permission for replies, and is refused nothing")
    func listenerAlone() async throws {
        let lines = LogLines()
        try await withUser(
            "listener", #"publish: { deny: [">"] }, subscribe: ["wake.>"]"#, logger: lines.logger
        ) { client in
            _ = try await client.subscribe("wake.>")
            // A round trip: whatever the server refuses of what came before, it has said by then.
            _ = try await client.subscribe("forbidden")
            try await eventually("the refusal of another subject is logged") {
                lines.all.contains { $0.contains("forbidden") }
            }
            #expect(!lines.all.contains { $0.contains("_INBOX") })
        }
    }

    @Test("Wrong credentials fail as such, and a running client comes in once they are right")
    func wrongCredentials() async throws {
        let server = try PrivateNats(extraConfiguration: "authorization { user: a, password: b }")
        try await server.start()
        var configuration = server.configuration
        configuration.user = "a"
        configuration.password = "c"
        let error = await #expect(throws: NatsError.self) {
            try await NatsClient(configuration, logger: .silent).connect()
        }
        #expect(error?.code == .authenticationFailed)
        configuration.password = "b"
        try await withRunningClient(configuration) { client in try await client.check() }
    }
}

extension BrokerFailureTests {
    /// Connects to a broker as its only user, who has these permissions.
    private func withUser(
        _ user: String, _ permissions: String, logger: Logger, _ body: (NatsClient) async throws -> Void
    ) async throws {
        let server = try PrivateNats(
            extraConfiguration: """
                accounts {
                    A {
                        jetstream: enabled
                        users: [{ user: \(user), password: secret, permissions: { \(permissions) } }]
                    }
                }
                """)
        try await server.start()
        var configuration = server.configuration
        configuration.user = user
        configuration.password = "secret"
        configuration.inboxPrefix = "_INBOX_\(user)"
        try await withClient(configuration, logger: logger, body)
    }

    /// Publishes until every message is acknowledged, as an outbox does.
    /// - Returns: the payloads.
    private func publishing(_ fixture: Fixture, count: Int) async -> Set<String> {
        for start in stride(from: 0, to: count, by: 100) {
            var open = (start..<start + 100).map {
                OutgoingMessage(
                    subject: fixture.subject("n"), payload: Array("\($0)".utf8), messageID: "\(fixture.stream)-\($0)")
            }
            while !open.isEmpty {
                let results = await fixture.jetStream.publish(open, timeout: .seconds(10))
                open = zip(open, results).compactMap { message, result in
                    if case .success = result { nil } else { message }
                }
            }
        }
        return Set((0..<count).map(String.init))
    }
}

import NatsClient
import TestSupport
import Testing

@Suite("NATS client", .nats, .timeLimit(.minutes(10)))
struct NatsClientTests {
    @Test("A subscriber gets the payload and the headers that were published")
    func publishAndSubscribe() async throws {
        try await withClient { client in
            let subject = uniqueName("greetings.")
            let subscription = try await client.subscribe(subject)
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            try await client.publish([0, 1, 255], to: subject, headers: ["traceparent": trace, "Empty": ""])
            let message = try #require(await subscription.first { _ in true })
            #expect(message.payload == [0, 1, 255])
            // An empty value would make the reader's parser lose the next line.
            #expect(message.headers == ["traceparent": trace])
            #expect(message.subject == subject)
        }
    }

    @Test("An empty payload arrives empty")
    func emptyPayload() async throws {
        try await withClient { client in
            let subject = uniqueName("empty.")
            let subscription = try await client.subscribe(subject)
            try await client.publish([], to: subject)
            #expect(await subscription.first { _ in true }?.payload == [])
        }
    }

    @Test("A request gets the reply of a subscriber")
    func request() async throws {
        try await withClient { client in
            let subject = uniqueName("double.")
            let subscription = try await client.subscribe(subject, queue: "workers")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await question in subscription {
                        try await client.reply(to: question, payload: question.payload + question.payload)
                    }
                }
                #expect(try await client.request([7], to: subject, timeout: .seconds(600)).payload == [7, 7])
                subscription.unsubscribe()
                try await group.waitForAll()
            }
        }
    }

    @Test("A request without a subscriber fails at once as no responders")
    func noResponders() async throws {
        try await withClient { client in
            let error = await #expect(throws: NatsError.self) {
                try await client.request([], to: uniqueName("nobody."), timeout: .seconds(60))
            }
            #expect(error?.code == .noResponders)
            #expect(error?.isRetriable == true)
        }
    }

    @Test("A request without a reply in time fails as timed out")
    func timeout() async throws {
        try await withClient { client in
            let subject = uniqueName("silent.")
            let subscription = try await client.subscribe(subject)
            let error = await #expect(throws: NatsError.self) {
                try await client.request([], to: subject, timeout: .milliseconds(100))
            }
            #expect(error?.code == .timedOut)
            subscription.unsubscribe()
        }
    }

    @Test("A cancelled request stops waiting")
    func cancellation() async throws {
        try await withClient { client in
            let subject = uniqueName("silent.")
            let subscription = try await client.subscribe(subject)
            let asking = Task { try await client.request([], to: subject, timeout: .seconds(600)) }
            _ = await subscription.first { _ in true }
            asking.cancel()
            await #expect(throws: CancellationError.self) { try await asking.value }
            let askedTooLate = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.request([], to: subject, timeout: .seconds(600))
            }
            await #expect(throws: CancellationError.self) { try await askedTooLate.value }
        }
    }

    @Test("A slow reader loses the oldest messages and they are counted")
    func drops() async throws {
        try await withClient { client in
            let subject = uniqueName("flood.")
            let subscription = try await client.subscribe(subject, bufferedMessagesMax: 10)
            for number in 0..<100 { try await client.publish([UInt8(number)], to: subject) }
            try await eventually("all but ten dropped") { subscription.droppedMessages == 90 }
            #expect(await subscription.first { _ in true }?.payload == [90])
        }
    }

    @Test(
        "What the protocol cannot carry is refused before it is sent",
        arguments: ["", "a b", "a\r\nPUB x 0", ".a", "a.", "a..b", "a\0b"])
    func invalidSubject(_ subject: String) async throws {
        try await withClient { client in
            let error = await #expect(throws: NatsError.self) { try await client.publish([], to: subject) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("A header cannot smuggle in another line")
    func invalidHeader() async throws {
        try await withClient { client in
            for headers in [["a": "b\r\nNats-Msg-Id: 1"], ["a:b": "c"], ["a\n": "c"], ["": "c"]] {
                let error = await #expect(throws: NatsError.self) {
                    try await client.publish([], to: "a", headers: headers)
                }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test("A payload above the server's limit is refused with a code of its own")
    func tooLarge() async throws {
        try await withClient { client in
            let error = await #expect(throws: NatsError.self) {
                try await client.publish([UInt8](repeating: 0, count: 2 << 20), to: "a")
            }
            #expect(error?.code == .payloadTooLarge)
            #expect(error?.isRetriable == false)
        }
    }

    @Test("Readiness passes while the server answers")
    func readiness() async throws {
        try await withClient { client in
            try await client.check()
            #expect(client.isConnected)
        }
    }

    @Test("Without a connection everything fails as disconnected, and check does too")
    func disconnected() async throws {
        let client = NatsClient(NatsConfiguration(servers: ["nats://127.0.0.1:9"]), logger: .silent)
        for attempt: () async throws -> Void in [
            { try await client.connect() }, { try await client.check() }, { try await client.publish([], to: "a") },
            { _ = try await client.request([], to: "a", timeout: .milliseconds(100)) },
            { _ = try await client.jetStream.publish([], to: "a", timeout: .milliseconds(100)) },
        ] {
            let error = await #expect(throws: NatsError.self) { try await attempt() }
            #expect(error?.code == .disconnected)
            #expect(error?.isRetriable == true)
        }
        let results = await client.jetStream.publish(
            [OutgoingMessage(subject: "a", payload: []), OutgoingMessage(subject: "b", payload: [])],
            timeout: .milliseconds(100))
        #expect(results.count == 2)
        for result in results { #expect(throws: NatsError.self) { try result.get() } }
    }

    @Test("Neither a description nor an error shows a password")
    func redaction() async throws {
        var configuration = NatsConfiguration(servers: ["nats://someone:hunter2@127.0.0.1:9"])
        configuration.user = "someone"
        configuration.password = "hunter2"
        #expect(!"\(configuration)".contains("hunter2"))
        #expect(!String(reflecting: configuration).contains("hunter2"))
        let client = NatsClient(configuration, logger: .silent)
        let error = await #expect(throws: NatsError.self) { try await client.connect() }
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }
}

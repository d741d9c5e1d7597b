import NatsClient
import TestSupport
import Testing

@Suite("JetStream", .nats, .timeLimit(.minutes(10)))
struct JetStreamTests {
    @Test("A stored message is acknowledged, and one with the same id is recognised")
    func duplicates() async throws {
        try await withFixture { fixture in
            let subject = fixture.subject("a")
            let first = try await fixture.jetStream.publish([1], to: subject, messageID: "one")
            let again = try await fixture.jetStream.publish([1], to: subject, messageID: "one")
            let other = try await fixture.jetStream.publish([1], to: subject, messageID: "two")
            #expect(first == PublishAck(stream: fixture.stream, sequence: 1, isDuplicate: false))
            #expect(again == PublishAck(stream: fixture.stream, sequence: 1, isDuplicate: true))
            #expect(other == PublishAck(stream: fixture.stream, sequence: 2, isDuplicate: false))
            #expect(try await fixture.jetStream.streamInfo(fixture.stream)?.messages == 2)
        }
    }

    @Test("Ten thousand pipelined messages are each acknowledged once, in order")
    func pipelined() async throws {
        try await withFixture { fixture in
            let messages = (0..<10_000).map {
                OutgoingMessage(
                    subject: fixture.subject("n"), payload: Array("\($0)".utf8), messageID: "\(fixture.stream)-\($0)")
            }
            let results = await fixture.jetStream.publish(messages, timeout: .seconds(60))
            let acknowledgements = try results.map { try $0.get() }
            #expect(acknowledgements.map(\.sequence) == Array(1...10_000))
            #expect(acknowledgements.allSatisfy { !$0.isDuplicate })
            #expect(try await fixture.jetStream.streamInfo(fixture.stream)?.messages == 10_000)
        }
    }

    @Test("Each pipelined message gets its own result, the failed ones too")
    func pipelinedFailures() async throws {
        try await withFixture { fixture in
            let results = await fixture.jetStream.publish([
                OutgoingMessage(subject: fixture.subject("a"), payload: [1]),
                OutgoingMessage(subject: uniqueName("nobody."), payload: [2]),
                OutgoingMessage(subject: "not a subject", payload: [3]),
                OutgoingMessage(subject: fixture.subject("a"), payload: [4], expectedStream: "OTHER"),
                OutgoingMessage(subject: fixture.subject("a"), payload: [5]),
            ])
            #expect(results.count == 5)
            let stored = [try results[0].get().sequence, try results[4].get().sequence]
            #expect(stored == [1, 2])
            #expect(code(results[1]) == .noResponders)
            #expect(code(results[2]) == .invalidArgument)
            #expect(code(results[3]) == .refused)
        }
    }

    @Test("Cancelling a pipelined publish still gives one result per message")
    func pipelinedCancellation() async throws {
        try await withClient { client in
            let subject = uniqueName("silent.")
            let subscription = try await client.subscribe(subject)
            let jetStream = client.jetStream
            let publishing = Task {
                await jetStream.publish(
                    (0..<20).map { _ in OutgoingMessage(subject: subject, payload: []) }, timeout: .seconds(600),
                    pendingAcksMax: 5)
            }
            _ = await subscription.first { _ in true }
            publishing.cancel()
            let results = await publishing.value
            #expect(results.count == 20)
            #expect(results.allSatisfy { code($0) == .closed })
        }
    }

    @Test("An unanswered pipelined publish times out for every message")
    func pipelinedTimeout() async throws {
        try await withClient { client in
            let subject = uniqueName("silent.")
            let subscription = try await client.subscribe(subject)
            let results = await client.jetStream.publish(
                (0..<20).map { _ in OutgoingMessage(subject: subject, payload: []) }, timeout: .milliseconds(200),
                pendingAcksMax: 5)
            #expect(results.count == 20)
            #expect(results.allSatisfy { code($0) == .timedOut })
            subscription.unsubscribe()
        }
    }

    @Test("Publishing to a subject that no stream stores fails with a retriable error")
    func missingStream() async throws {
        try await withClient { client in
            let error = await #expect(throws: NatsError.self) {
                try await client.jetStream.publish([], to: uniqueName("nobody."), timeout: .seconds(60))
            }
            #expect(error?.code == .noResponders)
            #expect(error?.isRetriable == true)
        }
    }

    @Test("Publishing for another stream than the one that takes the subject is refused with JetStream's code")
    func expectedStream() async throws {
        try await withFixture { fixture in
            let error = await #expect(throws: NatsError.self) {
                try await fixture.jetStream.publish([], to: fixture.subject("a"), expectedStream: "OTHER")
            }
            #expect(error?.jetStreamCode == 10_060)
            #expect(error?.isRetriable == false)
        }
    }

    @Test("A stream matches its configuration, before and after an update")
    func streamConfiguration() async throws {
        try await withClient { client in
            var configuration = StreamConfiguration(
                name: uniqueName("S"), subjects: [uniqueName("a.")], maxAge: .seconds(3_600), maxBytes: 1 << 20,
                duplicateWindow: .seconds(30), storage: .memory)
            #expect(try await client.jetStream.createOrUpdateStream(configuration).configuration == configuration)
            configuration.maxAge = .seconds(7_200)
            configuration.subjects.append(uniqueName("b."))
            try await client.jetStream.createOrUpdateStream(configuration)
            let info = try #require(await client.jetStream.streamInfo(configuration.name))
            #expect(info.configuration == configuration)
            #expect(info.messages == 0)
        }
    }

    @Test("What does not exist is nil, and deleting it returns false")
    func missing() async throws {
        try await withFixture { fixture in
            let jetStream = fixture.jetStream
            let nowhere = try await jetStream.streamInfo("NOWHERE")
            #expect(nowhere == nil)
            #expect(try await jetStream.consumerInfo(stream: "NOWHERE", durable: "a") == nil)
            #expect(try await jetStream.consumerInfo(stream: fixture.stream, durable: "a") == nil)
            #expect(try await !jetStream.deleteStream("NOWHERE"))
            #expect(try await !jetStream.deleteConsumer(stream: fixture.stream, durable: "a"))
            #expect(try await jetStream.deleteConsumer(stream: fixture.stream, durable: fixture.durable))
            #expect(try await jetStream.deleteStream(fixture.stream))
            let error = await #expect(throws: NatsError.self) {
                try await jetStream.createOrUpdateConsumer(stream: "NOWHERE", ConsumerConfiguration(durable: "a"))
            }
            #expect(error?.code == .notFound)
            #expect(error?.jetStreamCode == 10_059)
        }
    }

    @Test("A consumer can be set up twice and with a back-off", arguments: [[], [Duration.seconds(1), .seconds(5)]])
    func consumerConfiguration(_ backOff: [Duration]) async throws {
        try await withFixture { fixture in
            let configuration = ConsumerConfiguration(
                durable: "other", filterSubject: fixture.subject("a"), maxDeliver: 5, backOff: backOff)
            for _ in 0..<2 {
                let info = try await fixture.jetStream.createOrUpdateConsumer(
                    stream: fixture.stream, configuration)
                #expect(info.durable == "other")
                #expect(info.stream == fixture.stream)
            }
        }
    }

    private func code(_ result: Result<PublishAck, NatsError>) -> NatsError.Code? {
        if case .failure(let error) = result { return error.code }
        return nil
    }
}

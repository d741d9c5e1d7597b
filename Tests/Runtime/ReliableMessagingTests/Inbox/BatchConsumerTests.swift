import Logging
import NatsClient
import PostgresClient
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Consumer of messages with several elements", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct BatchConsumerTests {
    /// Settling by hand needs no broker: this client never connects.
    private let puller = NatsClient(NatsConfiguration(), logger: .silent).jetStream.consumer(
        stream: "GREETINGS", durable: "reader")

    private func consumer(_ pool: PostgresPool) -> MessageConsumer<Greeting> {
        var configuration = MessageConsumerConfiguration()
        configuration.attemptsMax = 3
        return MessageConsumer(
            puller, subject: "greetings.*", deadLetters: DeadLetters(pool: pool), configuration: configuration,
            logger: .silent, jitter: { 0 }, handleBatch: { _ in })
    }

    /// A message of several elements.
    private func batch(_ texts: [String], sequence: UInt64 = 1, count: Int = 1) -> StreamMessage {
        let lines = texts.map { $0 == "{" ? $0 : #"{"schema":1,"text":"\#($0)"}"# }
        return StreamMessage(
            subject: "greetings.one", payload: Array(lines.joined(separator: "\n").utf8), stream: "GREETINGS",
            streamSequence: sequence, deliveryCount: count)
    }

    @Test("An element that cannot be handled is a dead letter of its own, and the rest of its message goes on")
    func faultyElements() async throws {
        try await withTables { pool in
            let consumer = consumer(pool)
            let taken = Log<[String]>()
            let settlements = try await consumer.settlements(
                of: [batch(["a", "{", "rejected", "b"], sequence: 1), batch(["c", "d"], sequence: 2)]
            ) { batch in
                let texts = batch.map(\.message.text)
                if texts.contains("rejected") { throw RejectedMessage("unknown store") }
                taken.append(texts)
            }
            #expect(settlements == [1: .discard, 2: .acknowledge])
            #expect(taken.all == [["a"], ["b"], ["c"], ["d"]])
            let letters = try await DeadLetters(pool: pool).list().deadLetters
            #expect(Set(letters.map(\.text)) == ["{", #"{"schema":1,"text":"rejected"}"#])
            #expect(letters.allSatisfy { $0.streamSequence == 1 && $0.state == .open })

            let alone = Log<String>()
            let settlement = try await consumer.settlement(of: batch(["a", "{", "rejected", "b"], sequence: 3)) {
                message, _ in
                if message.text == "rejected" { throw RejectedMessage("unknown store") }
                alone.append(message.text)
            }
            #expect(settlement == .discard && alone.all == ["a", "b"])
            #expect(try await count("dead_letters", pool) == 4)
        }
    }

    @Test("While one element fails the message comes again, and its failures are counted by itself")
    func failingElement() async throws {
        try await withTables { pool in
            let consumer = consumer(pool)
            for attempt in 1...3 {
                let message = batch(["a", "poison", "other poison", "b"], count: attempt)
                let settlements = try await consumer.settlements(of: [message]) { batch in
                    let texts = batch.map(\.message.text)
                    let isMended = attempt == 3 && texts == ["other poison"]
                    if texts.contains(where: { $0.hasSuffix("poison") }), !isMended { throw HandlerFailure() }
                }
                #expect(settlements[1] == (attempt < 3 ? .retry(after: .milliseconds(250 * attempt)) : .discard))
            }
            let letters = try await DeadLetters(pool: pool).list().deadLetters
            #expect(letters.map(\.text) == [#"{"schema":1,"text":"poison"}"#])
            #expect(letters.first?.attempts == 3)
            #expect(try await count("dead_letters", pool) == 1, "the mended one's failures are forgotten")
        }
    }

    private static let timeout = PostgresError(
        .statement(sqlState: "57014"), "canceling statement due to statement timeout")

    @Test("An element that reaches the statement's time limit delays its own message alone, and is no dead letter")
    func slowElement() async throws {
        try await withTables { pool in
            let handled = Log<[String]>()
            let messages = ["a", "slow", "b"].enumerated().map { batch([$1], sequence: UInt64($0 + 1)) }
            let settlements = try await consumer(pool).settlements(of: messages) { batch in
                let texts = batch.map(\.message.text)
                if texts.contains("slow") { throw Self.timeout }
                handled.append(texts)
            }
            #expect(settlements == [1: .acknowledge, 2: .retry(after: .milliseconds(250)), 3: .acknowledge])
            #expect(handled.all == [["a"], ["b"]])
            #expect(try await count("dead_letters", pool) == 0)
        }
    }

    @Test("After two time-outs in a row the others are not tried, and an outage of all is tried once")
    func outages() async throws {
        try await withTables { pool in
            let away = PostgresError(.connection, "no")
            for (error, tried) in [(Self.timeout, [5, 1, 1]), (away, [5])] {
                let sizes = Log<Int>()
                let messages = (1...5).map { batch(["\($0)"], sequence: UInt64($0)) }
                let settlements = try await consumer(pool).settlements(of: messages) { batch in
                    sizes.append(batch.count)
                    throw error
                }
                #expect(sizes.all == tried)
                #expect(settlements.count == 5)
                #expect(settlements.values.allSatisfy { $0 == .retry(after: .milliseconds(250)) })
            }
        }
    }

    @Test("A batch is handled in one call, one of many elements in several")
    func elementsOfBatch() async throws {
        try await withTables { pool in
            let sizes = Log<Int>()
            let message = batch((0..<MessageBatch.elementsMax).map { "\($0)" }, sequence: 1)
            let settlements = try await consumer(pool).settlements(of: [message, batch(["x"], sequence: 2)]) {
                sizes.append($0.count)
            }
            #expect(settlements == [1: .acknowledge, 2: .acknowledge])
            #expect(sizes.all == [MessageConsumerConfiguration().batchMax, 1])
        }
    }

    @Test("The dead letter of an element is retried as that element alone")
    func retriedElement() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            var message = batch(["a", "rejected"])
            message.headers = [MessageBatch.keysHeader: "k1,k2"]
            _ = try await consumer(pool).settlements(of: [message]) { batch in
                if batch.contains(where: { $0.message.text == "rejected" }) { throw RejectedMessage("unknown store") }
            }
            let letter = try #require(await letters.list().deadLetters.first)
            #expect(letter.about == "k2")
            try await letters.retry(letter.id)
            let seen = Log<[String]>()
            let mended = MessageConsumer<Greeting>(
                puller, subject: "greetings.*", deadLetters: letters, logger: .silent,
                handleBatch: { seen.append($0.map(\.message.text)) })
            #expect(try await mended.deadLetterRetrier.retryOne())
            #expect(seen.all == [["rejected"]])
        }
    }
}

import FlowControl
import Foundation
import Logging
import Messages
import NatsClient
import PostgresClient
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import ReliableMessaging

struct Greeting: Codable, Hashable, ConsumedMessage {
    let schema: Int
    let text: String

    func fault(on subject: String) -> String? { subject.hasSuffix(".misdirected") ? "the subject is of another" : nil }
}

@Suite("Message consumer", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct MessageConsumerTests {
    /// Settling by hand needs no broker: this client never connects.
    private let puller = NatsClient(NatsConfiguration(), logger: .silent).jetStream.consumer(
        stream: "GREETINGS", durable: "reader")

    private func consumer(
        _ pool: PostgresPool, attemptsMax: Int = 3, logger: Logger = .silent
    ) -> MessageConsumer<Greeting> {
        var configuration = MessageConsumerConfiguration()
        configuration.attemptsMax = attemptsMax
        return MessageConsumer(
            puller, subject: "greetings.*", deadLetters: DeadLetters(pool: pool), configuration: configuration,
            logger: logger, jitter: { 0 }, handle: oneByOne { (_: Greeting, _: MessageContext) in })
    }

    private func message(
        _ payload: String = #"{"schema":1,"text":"hello"}"#, sequence: UInt64 = 1, count: Int = 1,
        headers: [String: String] = [:]
    ) -> StreamMessage {
        StreamMessage(
            subject: "greetings.one", payload: Array(payload.utf8), headers: headers, stream: "GREETINGS",
            streamSequence: sequence, deliveryCount: count)
    }

    @Test("A message that was taken is acknowledged, one of a newer schema too")
    func acknowledged() async throws {
        try await withTables { pool in
            let seen = Log<Greeting>()
            for payload in [#"{"schema":1,"text":"a"}"#, #"{"schema":9,"text":"b","mood":{"new":true}}"#] {
                let settlement = try await consumer(pool).settlement(of: message(payload)) { message, _ in
                    seen.append(message)
                }
                #expect(settlement == .acknowledge)
            }
            #expect(seen.all == [Greeting(schema: 1, text: "a"), Greeting(schema: 9, text: "b")])
        }
    }

    @Test("A message of another subject is acknowledged unread: the broker redelivers by number after it was set back")
    func anotherSubject() async throws {
        try await withTables { pool in
            let consumer = consumer(pool)
            let seen = Log<Greeting>()
            var foreign = message("{", sequence: 7)
            foreign.subject = "farewells.one"
            #expect(try await consumer.settlement(of: foreign) { message, _ in seen.append(message) } == .acknowledge)
            let settlements = try await consumer.settlements(of: [foreign, message(sequence: 8)]) { batch in
                for one in batch { seen.append(one.message) }
            }
            #expect(settlements == [7: .acknowledge, 8: .acknowledge])
            #expect(seen.all == [Greeting(schema: 1, text: "hello")])
            #expect(try await DeadLetters(pool: pool).counts().values.allSatisfy { $0 == 0 })
        }
    }

    @Test("An undecodable message is kept and discarded at once", arguments: ["", "{", "[]", #"{"schema":"one"}"#])
    func undecodable(_ payload: String) async throws {
        try await withTables { pool in
            let settlement = try await consumer(pool).settlement(of: message(payload)) { _, _ in
                Issue.record("it was handled")
            }
            #expect(settlement == .discard)
            let letter = try #require(await DeadLetters(pool: pool).list().deadLetters.first)
            #expect(letter.text == payload)
            #expect(letter.error.hasPrefix("undecodable"))
        }
    }

    @Test("A message that is not what its subject says is kept and discarded at once, alone and in a batch")
    func misdirected() async throws {
        try await withTables { pool in
            let consumer = consumer(pool)
            var misdirected = message(sequence: 7)
            misdirected.subject = "greetings.misdirected"
            let settlement = try await consumer.settlement(of: misdirected) { _, _ in Issue.record("it was handled") }
            #expect(settlement == .discard)
            let seen = Log<Greeting>()
            let settlements = try await consumer.settlements(of: [misdirected, message(sequence: 8)]) { batch in
                for one in batch { seen.append(one.message) }
            }
            #expect(settlements == [7: .discard, 8: .acknowledge] && seen.all.count == 1)
            let letters = try await DeadLetters(pool: pool).list().deadLetters
            #expect(Set(letters.map(\.error)) == ["the subject is of another"])
        }
    }

    @Test("A message its handler rejects is kept and discarded at once")
    func rejected() async throws {
        try await withTables { pool in
            let settlement = try await consumer(pool).settlement(of: message()) { _, _ in
                throw RejectedMessage("unknown store")
            }
            #expect(settlement == .discard)
            #expect(try await DeadLetters(pool: pool).list().deadLetters.first?.error == "unknown store")
        }
    }

    @Test("However long a dependency is away, the message is redelivered and is no dead letter")
    func outage() async throws {
        try await withTables { pool in
            var waits: [Duration] = []
            for count in 1...60 {
                let settlement = try await consumer(pool).settlement(of: message(count: count)) { _, _ in
                    throw PostgresError(.connection, "away")
                }
                guard case .retry(let wait) = settlement else {
                    Issue.record("\(settlement)")
                    return
                }
                waits.append(wait)
            }
            #expect(waits.prefix(3) == [.milliseconds(250), .milliseconds(500), .seconds(1)])
            #expect(waits.last == .seconds(15))
            #expect(try await count("dead_letters", pool) == 0)
        }
    }

    @Test("A handler's own failure is counted by itself: deliveries during an outage do not count")
    func poison() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            for attempt in 1...3 {
                let settlement = try await consumer(pool).settlement(of: message(count: 50 + attempt)) { _, _ in
                    throw HandlerFailure()
                }
                #expect(settlement == (attempt < 3 ? .retry(after: .seconds(15)) : .discard))
                #expect(try await letters.list().deadLetters.count == (attempt < 3 ? 0 : 1))
            }
            #expect(try await letters.list().deadLetters.first?.attempts == 3)
            // The broker did not receive the discard.
            let again = try await consumer(pool).settlement(of: message(count: 54)) { _, _ in throw HandlerFailure() }
            #expect(again == .discard)
            #expect(try await count("dead_letters", pool) == 1)
        }
    }

    @Test("A message that is taken in the end leaves no trace of its failures")
    func recovered() async throws {
        try await withTables { pool in
            _ = try await consumer(pool).settlement(of: message()) { _, _ in throw HandlerFailure() }
            #expect(try await DeadLetters(pool: pool).counts()[.failing] == 1)
            let settlement = try await consumer(pool).settlement(of: message(count: 2)) { _, _ in }
            #expect(settlement == .acknowledge)
            #expect(try await count("dead_letters", pool) == 0)
        }
    }

    @Test("A message that cannot be kept is not settled", arguments: ["{", #"{"schema":1,"text":"hello"}"#])
    func cannotBeKept(_ payload: String) async throws {
        try await withTables { pool in
            try await pool.execute("DROP TABLE dead_letters")
            await #expect(throws: PostgresError.self) {
                try await consumer(pool).settlement(of: message(payload)) { _, _ in throw HandlerFailure() }
            }
            let settlements = try await consumer(pool).settlements(of: [message(payload)]) { _ in
                throw HandlerFailure()
            }
            #expect(settlements.isEmpty)
        }
    }

    @Test("The handler's logger carries where the message came from and its trace")
    func context() async throws {
        try await withTables { pool in
            let headers = ["Nats-Msg-Id": "id-1", "traceparent": "00-a-b-01"]
            // One that keeps its metadata and, at this level, logs nothing.
            var logger = Logger(label: "tests") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = .critical
            _ = try await consumer(pool, logger: logger).settlement(of: message(headers: headers)) { _, context in
                #expect(context.logger[metadataKey: "traceparent"] == "00-a-b-01")
                #expect(context.logger[metadataKey: "message_id"] == "id-1")
                #expect(context.logger[metadataKey: "consumer"] == "reader")
                #expect(context.message.subject == "greetings.one")
            }
        }
    }

    @Test("In a batch the bad ones are found, and the others are taken")
    func batch() async throws {
        try await withTables { pool in
            let messages = [
                message(#"{"schema":1,"text":"good"}"#, sequence: 1), message("{", sequence: 2),
                message(#"{"schema":1,"text":"poison"}"#, sequence: 3),
                message(#"{"schema":1,"text":"fine"}"#, sequence: 4),
            ]
            let taken = Log<[String]>()
            let settlements = try await consumer(pool).settlements(of: messages) { batch in
                let texts = batch.map(\.message.text)
                if texts.contains("poison") { throw HandlerFailure() }
                taken.append(texts)
            }
            #expect(
                settlements == [1: .acknowledge, 2: .discard, 3: .retry(after: .milliseconds(250)), 4: .acknowledge])
            #expect(taken.all == [["good"], ["fine"]])

            let outage = try await consumer(pool).settlements(of: messages) { _ in throw CancellationError() }
            #expect(outage[1] == .retry(after: .zero))
        }
    }

    @Test("From outbox to handler, through the dead letters and back, nothing gets lost", .nats)
    func wholeWay() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                try await broker.client.jetStream.createOrUpdateConsumer(
                    stream: broker.stream, ConsumerConfiguration(durable: "reader"))
                let letters = DeadLetters(pool: pool)
                let relay = OutboxRelay(pool: pool, nats: broker.client, logger: .silent)
                let taken = Log<String>()
                let isMended = Atomic(false)
                var configuration = MessageConsumerConfiguration()
                configuration.attemptsMax = 2
                configuration.retry = BackOff(first: .milliseconds(1), longest: .milliseconds(5))
                let consumer = MessageConsumer(
                    broker.client.jetStream.consumer(stream: broker.stream, durable: "reader"), of: Greeting.self,
                    subject: ">",
                    deadLetters: letters, configuration: configuration, logger: .silent,
                    handle: oneByOne { (greeting: Greeting, _: MessageContext) in
                        if greeting.text == "7", !isMended.load(ordering: .relaxed) { throw HandlerFailure() }
                        taken.append(greeting.text)
                    })
                let group = ServiceGroup(services: [relay, consumer], logger: .silent)
                try await withThrowingTaskGroup { tasks in
                    tasks.addTask { try await group.run() }
                    for number in 0..<20 {
                        try await pool.enqueue(
                            OutboxMessage(
                                subject: broker.subject("n"), encoding: Greeting(schema: 1, text: "\(number)")))
                    }
                    relay.wake()
                    try await until("all but one are taken") { taken.all.count == 19 }
                    try await until("one is dead") { try await letters.list().deadLetters.count == 1 }
                    isMended.store(true, ordering: .relaxed)
                    try await letters.retry(try await letters.list().deadLetters[0].id)
                    relay.wake()
                    try await until("all are taken") { taken.all.count == 20 }
                    await group.triggerGracefulShutdown()
                    try await tasks.waitForAll()
                }
                #expect(Set(taken.all) == Set((0..<20).map(String.init)))
            }
        }
    }
}

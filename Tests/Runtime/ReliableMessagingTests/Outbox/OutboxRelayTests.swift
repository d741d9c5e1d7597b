import FlowControl
import Foundation
import Logging
import NatsClient
import PostgresClient
import ServiceLifecycle
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Outbox relay", .postgresSchema, .nats, .tags(.integration), .timeLimit(.minutes(10)))
struct OutboxRelayTests {
    private func relay(
        _ pool: PostgresPool, _ broker: NatsClient, _ adjust: (inout OutboxRelay.Configuration) -> Void = { _ in }
    ) -> OutboxRelay {
        var configuration = OutboxRelay.Configuration()
        adjust(&configuration)
        return OutboxRelay(pool: pool, nats: broker, configuration: configuration, logger: .silent, jitter: { 0 })
    }

    /// Messages that no batch joins, since their headers differ.
    private func messages(_ broker: Broker, _ numbers: Range<Int>) -> [OutboxMessage] {
        numbers.map {
            OutboxMessage(subject: broker.subject("n"), payload: Array("\($0)".utf8), headers: ["n": "\($0)"])
        }
    }

    @Test("A message exists exactly if its transaction was committed, and goes out as it was enqueued")
    func committed() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let message = OutboxMessage(
                    subject: broker.subject("order"), payload: [0, 1, 255], headers: ["traceparent": "00-a-b-01"])
                await #expect(throws: HandlerFailure.self) {
                    try await pool.withTransaction { transaction in
                        try await transaction.enqueue(messages(broker, 0..<3))
                        throw HandlerFailure()
                    }
                }
                try await pool.withTransaction { try await $0.enqueue(message) }
                #expect(try await relay(pool, broker.client).relayNow() == 1)
                #expect(try await count("outbox", pool) == 0)

                try await broker.client.jetStream.createOrUpdateConsumer(
                    stream: broker.stream, ConsumerConfiguration(durable: "reader"))
                let received = try await firstMessage(broker)
                #expect(received.subject == message.subject)
                #expect(received.payload == message.payload)
                #expect(received.headers["traceparent"] == "00-a-b-01")
                #expect(received.headers["Nats-Msg-Id"] == message.id.uuidString.lowercased())
            }
        }
    }

    @Test("While the broker answers and stores nothing, the relay logs the first error")
    func nothingStored() async throws {
        try await withTables { pool in
            try await withBroker(hasStream: false) { broker in
                let log = LogLines()
                let relay = OutboxRelay(pool: pool, nats: broker.client, logger: log.logger, jitter: { 0 })
                try await pool.enqueue(messages(broker, 0..<2))
                #expect(try await relay.relayNow() == 0)
                let warnings = log.all.filter { $0.contains("stores no message") }
                #expect(warnings.first?.contains("noResponders") == true, "\(log.all)")
            }
        }
    }

    @Test("Readers are woken by one message with the keys of all that was published for them")
    func wakes() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let relay = OutboxRelay(
                    pool: pool, nats: broker.client, logger: .silent,
                    wakeSubject: { $0 == broker.subject("n") ? "wake-\(broker.stream)" : nil })
                let woken = try await broker.client.subscribe("wake-\(broker.stream)")
                try await pool.enqueue(
                    ["k2", "k1", nil].map { OutboxMessage(subject: broker.subject("n"), key: $0, payload: [49]) }
                        + [OutboxMessage(subject: broker.subject("other"), key: "k3", payload: [50])])
                #expect(try await relay.relayNow() == 2)
                var messages = woken.makeAsyncIterator()
                let first = await messages.next()
                #expect(first.map { String(decoding: $0.payload, as: UTF8.self) } == "k1\nk2")
            }
        }
    }

    @Test("It tells once of a stream that gave a number twice")
    func setBack() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let relay = relay(pool, broker.client)
                func publish(_ numbers: Range<Int>) async throws {
                    try await pool.withTransaction { try await $0.enqueue(messages(broker, numbers)) }
                    #expect(try await relay.relayNow() == numbers.count)
                }
                try await publish(0..<3)
                try await publish(3..<5)
                #expect(relay.takeSetBackStreams().isEmpty)
                try await broker.client.jetStream.deleteStream(broker.stream)
                try await broker.createStream()
                try await publish(5..<20)
                #expect(relay.takeSetBackStreams() == [broker.stream])
                try await publish(20..<21)
                #expect(relay.takeSetBackStreams().isEmpty)
            }
        }
    }

    private func firstMessage(_ broker: Broker) async throws -> StreamMessage {
        let seen = Log<StreamMessage>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await broker.client.jetStream.consumer(stream: broker.stream, durable: "reader").forEach {
                    (message: consuming ReceivedMessage) in
                    seen.append(message.content)
                    try await message.settle(.acknowledge)
                }
            }
            try await until("received") { !seen.all.isEmpty }
            group.cancelAll()
        }
        return seen.all[0]
    }

    @Test("Replicas share the rows: each is published by one of them")
    func replicas() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                try await pool.enqueue(messages(broker, 0..<400))
                let relays = (0..<3).map { _ in relay(pool, broker.client) { $0.batchRowsMax = 16 } }
                let published = try await withThrowingTaskGroup { group in
                    for relay in relays { group.addTask { try await relay.relayNow() } }
                    return try await group.reduce(0, +)
                }
                #expect(published == 400)
                #expect(try await broker.count() == 400)
                #expect(try await count("outbox", pool) == 0)
            }
        }
    }

    @Test("A relay that died after leasing, or after publishing, leaves nothing out and nothing twice")
    func died() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                try await pool.enqueue(messages(broker, 0..<20))
                let store = PostgresOutboxStore(pool: pool)
                #expect(try await store.lease(rowsMax: 5, for: .seconds(600)).count == 5)
                let published = try await store.lease(rowsMax: 5, for: .seconds(600))
                for row in published {
                    _ = try await broker.client.jetStream.publish(
                        row.message.payload, to: row.message.subject, messageID: row.message.id.uuidString.lowercased())
                }
                // Both died here. Until their leases end the others go on without those rows.
                #expect(try await relay(pool, broker.client).relayNow() == 10)
                try await endLeases(pool)
                #expect(try await relay(pool, broker.client).relayNow() == 10)
                #expect(try await broker.count() == 20)
                #expect(try await count("outbox", pool) == 0)
            }
        }
    }

    @Test("While the broker is away rows stay, uncounted, and go out when it is back")
    func brokerAway() async throws {
        try await withTables { pool in
            let server = try PrivateNats()
            let client = NatsClient(server.configuration, logger: .silent)
            let relay = relay(pool, client) {
                $0.publishTimeout = .milliseconds(50)
                $0.attemptsMax = 1
                $0.outage = BackOff(first: .milliseconds(5), longest: .milliseconds(20))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.run() }
                group.addTask { try await relay.run() }
                try await pool.enqueue(OutboxMessage(subject: "AWAY.one", payload: []))
                relay.wake()
                try await until("an attempt has failed") {
                    try await pool.query("SELECT FROM outbox WHERE last_error IS NOT NULL").count == 1
                }
                #expect(try await pool.query("SELECT FROM outbox WHERE attempts = 0").count == 1)

                try await server.start()
                try await until("connected") { client.isConnected }
                try await client.jetStream.createOrUpdateStream(StreamConfiguration(name: "AWAY", subjects: ["AWAY.>"]))
                try await until("sent") { try await count("outbox", pool) == 0 }
                #expect(try await count("dead_letters", pool) == 0)
                group.cancelAll()
            }
        }
    }

    @Test("Without a stream a message waits for one, however long")
    func missingStream() async throws {
        try await withTables { pool in
            try await withBroker(hasStream: false) { broker in
                let relay = relay(pool, broker.client) { $0.attemptsMax = 1 }
                try await pool.enqueue(messages(broker, 0..<2))
                for _ in 0..<3 {
                    #expect(try await relay.relayNow() == 0)
                    try await endLeases(pool)
                }
                try await broker.createStream()
                #expect(try await relay.relayNow() == 2)
                #expect(try await broker.count() == 2)
                #expect(try await count("dead_letters", pool) == 0)
            }
        }
    }

    @Test("A message the broker never takes is a dead letter in the end, with the reason; the others go on")
    func neverTaken() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let relay = relay(pool, broker.client) { $0.attemptsMax = 3 }
                // The server takes 1 MiB.
                let large = OutboxMessage(
                    subject: broker.subject("n"), payload: Array(repeating: 7, count: 2_000_000), headers: ["a": "b"])
                let misspelt = OutboxMessage(subject: "two words", payload: [1])
                try await pool.enqueue([large, misspelt] + messages(broker, 0..<3))
                #expect(try await relay.relayNow() == 3)
                // An attempt during which the connection was lost does not count.
                while try await count("outbox", pool) > 0 {
                    try await endLeases(pool)
                    _ = try await relay.relayNow()
                }
                let letters = try await DeadLetters(pool: pool).list().deadLetters
                #expect(Set(letters.map(\.subject)) == [large.subject, misspelt.subject])
                let dead = try #require(letters.first { $0.subject == large.subject })
                #expect(dead.origin == .outbox)
                #expect(dead.attempts == 3)
                #expect(dead.error.contains("payloadTooLarge"))
                #expect(dead.payload == large.payload)
                #expect(dead.headers == large.headers)
                #expect(dead.messageID == large.id.uuidString.lowercased())
            }
        }
    }

    @Test("A wake-up after the commit is enough, and shutdown ends the relay")
    func wakesAndEnds() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let relay = relay(pool, broker.client) {
                    $0.poll = BackOff(first: .seconds(3_600), longest: .seconds(3_600))
                }
                let group = ServiceGroup(services: [relay], logger: .silent)
                try await withThrowingTaskGroup { tasks in
                    tasks.addTask { try await group.run() }
                    for number in 0..<3 {
                        try await pool.enqueue(messages(broker, number..<number + 1))
                        relay.wake()
                        try await until("sent") { try await count("outbox", pool) == 0 }
                    }
                    await group.triggerGracefulShutdown()
                    try await tasks.waitForAll()
                }
                #expect(try await broker.count() == 3)
            }
        }
    }

    @Test("Its age is how long the oldest message has been waiting")
    func age() async throws {
        try await withTables { pool in
            let store = PostgresOutboxStore(pool: pool)
            #expect(try await store.oldestAge() == nil)
            try await pool.enqueue((0..<2).map { OutboxMessage(subject: "a.\($0)", payload: []) })
            try await pool.execute(
                "UPDATE outbox SET created_at = clock_timestamp() - interval '1 hour' WHERE subject = 'a.1'")
            #expect(try #require(await store.oldestAge()) >= .seconds(3_600))
        }
    }

    @Test(
        "The gauge is sampled every five seconds, less often where that is slow, and never more than 30 seconds apart",
        arguments: [
            (Duration.milliseconds(1), Duration.seconds(5)), (.milliseconds(100), .seconds(5)),
            (.milliseconds(200), .seconds(10)), (.milliseconds(600), .seconds(30)), (.seconds(60), .seconds(30)),
        ])
    func samplingPause(took: Duration, pause: Duration) {
        #expect(OutboxRelay.samplingPause(after: took) == pause)
    }
}

import Foundation
import NatsClient
import PostgresClient
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Outbox relay from memory", .postgresSchema, .nats, .tags(.integration), .timeLimit(.minutes(10)))
struct RelayFromMemoryTests {
    private func relay(_ pool: PostgresPool, _ broker: NatsClient) -> OutboxRelay {
        OutboxRelay(pool: pool, nats: broker, logger: .silent, jitter: { 0 })
    }

    /// Reads the table until the relay publishes from memory.
    private func open(_ relay: OutboxRelay) async throws {
        try await until("the relay publishes from memory") {
            _ = try await relay.relayNow()
            return relay.batch(of: []).held > .zero
        }
    }

    private func commit(_ numbers: Range<Int>, _ broker: Broker, _ pool: PostgresPool, _ relay: OutboxRelay)
        async throws -> OutboxBatch
    {
        let batch = relay.batch(
            of: numbers.map {
                OutboxMessage(subject: broker.subject("n"), payload: Array("\($0)".utf8), headers: ["n": "\($0)"])
            })
        _ = try await pool.withTransaction { try await $0.commit(with: batch.insertion) }
        return batch
    }

    /// The payloads that the stream has stored, in its order.
    private func stored(_ broker: Broker) async throws -> [String] {
        let durable = "reader"
        try await broker.client.jetStream.createOrUpdateConsumer(
            stream: broker.stream, ConsumerConfiguration(durable: durable))
        let count = try await broker.count()
        let received = Log<String>()
        guard count > 0 else { return [] }
        let consumer = broker.client.jetStream.consumer(stream: broker.stream, durable: durable)
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await consumer.forEach(batchMax: 64, inFlightMessagesMax: 1) { message in
                    received.append(String(decoding: message.content.payload, as: UTF8.self))
                    try await message.settle(.acknowledge)
                }
            }
            try await until("all are received") { received.all.count >= count }
            group.cancelAll()
        }
        return received.all
    }

    @Test("Messages are published without a reading of the table, as they were committed, and their rows go together")
    func memory() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let relay = relay(pool, broker.client)
                try await open(relay)
                let batch = try await commit(0..<300, broker, pool, relay)
                // The first reading of the table would publish something else, and finds no row before its lease ends.
                try await pool.execute(
                    "UPDATE outbox SET payload = 'other', leased_until = leased_until + interval '1 hour'")
                relay.publish(batch)
                #expect(try await relay.relayNow() == 300)
                #expect(try await stored(broker) == (0..<300).map(String.init))
                #expect(try await count("outbox", pool) == 0)
            }
        }
    }

    @Test("What a process committed before it died is published by another, from the table")
    func died() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let dead = relay(pool, broker.client)
                try await open(dead)
                _ = try await commit(0..<5, broker, pool, dead)
                // The first process's for two seconds, which a slow machine may spend here.
                try await pool.execute("UPDATE outbox SET leased_until = leased_until + interval '1 hour'")
                let other = relay(pool, broker.client)
                #expect(try await other.relayNow() == 0)
                try await endLeases(pool)
                #expect(try await other.relayNow() == 5)
                #expect(try await count("outbox", pool) == 0)
                #expect(try await stored(broker) == (0..<5).map(String.init))
            }
        }
    }

    @Test("A process that died between publishing and deleting leaves nothing twice")
    func notDeleted() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let dead = relay(pool, broker.client)
                try await open(dead)
                let batch = try await commit(0..<5, broker, pool, dead)
                _ = await JetStreamPublisher(nats: broker.client).publish(
                    batch.messages.map {
                        OutgoingMessage(
                            subject: $0.subject, payload: $0.payload, messageID: $0.id.uuidString.lowercased())
                    }, timeout: .seconds(5))
                try await endLeases(pool)
                #expect(try await relay(pool, broker.client).relayNow() == 5)
                #expect(try await broker.count() == 5)
            }
        }
    }

    @Test("A message that could not be published is not overtaken by a later one of its subject")
    func order() async throws {
        try await withTables { pool in
            try await withBroker(hasStream: false) { broker in
                let relay = relay(pool, broker.client)
                try await open(relay)
                relay.publish(try await commit(0..<3, broker, pool, relay))
                // No stream: nothing is published, and from now on messages go by the table.
                #expect(try await relay.relayNow() == 0)
                #expect(relay.batch(of: []).held == .zero)
                relay.publish(try await commit(3..<6, broker, pool, relay))
                try await broker.createStream()
                try await pool.execute("UPDATE outbox SET leased_until = created_at")
                #expect(try await relay.relayNow() == 6)
                #expect(try await stored(broker) == (0..<6).map(String.init))
                try await open(relay)
                relay.publish(try await commit(6..<7, broker, pool, relay))
                #expect(try await relay.relayNow() == 1)
            }
        }
    }

    @Test("Messages that were enqueued into the table go before those that were committed later")
    func tableFirst() async throws {
        try await withTables { pool in
            try await withBroker { broker in
                let relay = relay(pool, broker.client)
                try await open(relay)
                try await pool.enqueue(OutboxMessage(subject: broker.subject("n"), payload: Array("0".utf8)))
                relay.wake()
                relay.publish(try await commit(1..<3, broker, pool, relay))
                #expect(try await relay.relayNow() == 3)
                #expect(try await stored(broker) == ["0", "1", "2"])
            }
        }
    }
}

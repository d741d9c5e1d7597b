import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Partners

@Suite("Kept listeners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ListenerRepositoryTests {
    /// Adds a listener for which so many events wait.
    private func add(
        _ name: String, of store: String? = nil, waiting: Int = 0, _ partners: PartnersUnderTest
    ) async throws -> ListenerStream {
        let now = partners.clock.now
        let stream = ListenerStream(listener: try #require(EndpointID(rawValue: "we_\(name)")), id: UUID())
        try await partners.pool.withTransaction { transaction in
            try await EndpointRepository.insert(
                Endpoint(
                    id: stream.listener, kind: .listener, url: "", types: [], store: store.flatMap(StoreID.init),
                    description: nil, signature: .symmetric, health: EndpointHealth(), createdAt: now),
                stream: stream.id, on: transaction)
            try await transaction.execute(
                """
                INSERT INTO events (event_id, type, delivery_id, store_id, version, occurred_at, body, is_test)
                SELECT 'msg_' || number, 'delivery.placed', 'd', 's', number, \(now), '', false
                FROM generate_series(1, \(waiting)) AS number ON CONFLICT DO NOTHING
                """)
            try await transaction.execute(
                """
                INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
                SELECT \(stream.listener.rawValue), 'msg_' || number, false, \(now), \(now)
                FROM generate_series(1, \(waiting)) AS number ORDER BY number
                """)
        }
        return stream
    }

    private func count(_ condition: SQL, _ partners: PartnersUnderTest) async throws -> Int {
        try await partners.pool.query("SELECT count(*) AS count FROM \(sql: condition)")[0].decode("count")
    }

    private func resume(
        _ stream: ListenerStream, of store: StoreID? = nil, after last: EventID?, _ partners: PartnersUnderTest
    ) async throws -> Bool {
        try await partners.pool.withTransaction { transaction in
            try await ListenerRepository.resume(
                stream, after: last, types: [], of: store, seconds: ListenerStream.openSeconds, in: transaction)
        }
    }

    @Test("Events are dequeued in order, and of the delivered ones the newest alone are kept")
    func pruned() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let (kept, batch) = (KeptListeners.deliveredMax, 50)
            let stream = try await add("a", waiting: 4 * kept, partners)
            var events: [EventID] = []
            while true {
                let next = try await ListenerRepository.dequeue(for: stream, rowsMax: batch, on: partners.pool)
                if next.isEmpty { break }
                events += next.map(\.event)
                #expect(try await count("event_deliveries WHERE state = 'delivered'", partners) <= kept + batch)
            }
            #expect(events.map(\.rawValue) == (1...(4 * kept)).map { "msg_\($0)" })
            // The first ones are gone: a program that has none of them, or one of these alone, has a gap.
            #expect(try await !resume(ListenerStream(listener: stream.listener, id: UUID()), after: nil, partners))
            #expect(
                try await !resume(
                    ListenerStream(listener: stream.listener, id: UUID()), after: events.first, partners))
            let next = ListenerStream(listener: stream.listener, id: UUID())
            let place = events.count - kept / 2
            #expect(try await resume(next, after: events[place - 1], partners))
            let rest = try await ListenerRepository.dequeue(for: next, rowsMax: kept, on: partners.pool)
            #expect(rest.map(\.event) == Array(events[place...]))
        }
    }

    @Test("An event that was dequeued after a later one comes again after it")
    func orderOfDequeues() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let stream = try await add("a", waiting: 3, partners)
            // The second event's transaction commits last.
            try await partners.pool.execute("UPDATE event_deliveries SET state = 'failed' WHERE event_id = 'msg_2'")
            let first = try await ListenerRepository.dequeue(for: stream, rowsMax: 9, on: partners.pool)
            #expect(first.map(\.event.rawValue) == ["msg_1", "msg_3"])
            try await partners.pool.execute("UPDATE event_deliveries SET state = 'waiting' WHERE event_id = 'msg_2'")
            #expect(try await ListenerRepository.dequeue(for: stream, rowsMax: 9, on: partners.pool).count == 1)
            let next = ListenerStream(listener: stream.listener, id: UUID())
            #expect(try await resume(next, after: first.last?.event, partners))
            let again = try await ListenerRepository.dequeue(for: next, rowsMax: 9, on: partners.pool)
            #expect(again.map(\.event.rawValue) == ["msg_2"])
        }
    }

    @Test("A stream that dequeues while another one continues its listener has none of the events")
    func continuedMeanwhile() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let former = try await add("a", waiting: 3, partners)
            let next = ListenerStream(listener: former.listener, id: UUID())
            let (pool, ended) = (partners.pool, Ended())
            let dequeuing = try await partners.pool.withTransaction { transaction in
                _ = try await ListenerRepository.resume(
                    next, after: nil, types: [], of: nil, seconds: ListenerStream.openSeconds, in: transaction)
                // Awaited below, after this transaction has committed.
                let dequeuing = Task {
                    defer { ended.isSet.withLock { $0 = true } }
                    return try await ListenerRepository.dequeue(for: former, rowsMax: 9, on: pool).count
                }
                let waiting: SQL =
                    "SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"
                while !ended.isSet.withLock({ $0 }), try await transaction.query(waiting).isEmpty { await Task.yield() }
                return dequeuing
            }
            #expect(try await dequeuing.value == 0)
            let events = try await ListenerRepository.dequeue(for: next, rowsMax: 9, on: partners.pool)
            #expect(events.map(\.event.rawValue) == ["msg_1", "msg_2", "msg_3"])
        }
    }

    @Test("Closed listeners beyond the number of their store, and with too many events, are removed; open ones are not")
    func bounds() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let most = KeptListeners.perStoreMax
            var streams: [ListenerStream] = []
            for number in 0..<(most + 2) {
                streams.append(try await add("s-\(number)", of: "s", partners))
            }
            let other = try await add("t", of: "t", partners)
            let long = try await add("u", of: "u", waiting: KeptListeners.waitingMax + 1, partners)
            let open = try await add("v", of: "u", waiting: KeptListeners.waitingMax + 1, partners)
            for stream in streams + [other, long] {
                try await ListenerRepository.noteClosed(stream, on: partners.pool)
            }
            func remove() async throws -> Int {
                try await ListenerRepository.removeClosed(at: partners.clock.now, rowsMax: 100, on: partners.pool)
            }
            #expect(try await remove() == 3)
            #expect(try await remove() == 0)
            let rows = try await partners.pool.query(
                "SELECT endpoint_id FROM endpoints WHERE removed_at IS NOT NULL ORDER BY endpoint_id")
            #expect(
                Set(try rows.map { try $0.decode("endpoint_id", as: String.self) })
                    == [streams[0].listener.rawValue, streams[1].listener.rawValue, long.listener.rawValue])
            // Another stream neither continues a removed listener nor renews it.
            let next = ListenerStream(listener: long.listener, id: UUID())
            #expect(try await !resume(next, of: StoreID(rawValue: "u"), after: nil, partners))
            #expect(try await !ListenerRepository.noteOpen(long, seconds: 60, on: partners.pool))
            try await ListenerRepository.deleteRemoved(rowsMax: 100, on: partners.pool)
            #expect(try await count("endpoints", partners) == most + 2)
            #expect(try await count("event_deliveries", partners) == KeptListeners.waitingMax + 1)
            // An operator is alerted to webhooks that wait, and not to programs that are away.
            try await QueueSampler(
                pool: partners.pool, clock: partners.clock.domain, metrics: partners.metrics, logger: .silent
            ).sample()
            #expect(partners.metrics.exposition().contains("doorstep_webhooks_waiting 0\n"))
            #expect(try await ListenerRepository.noteOpen(open, seconds: 60, on: partners.pool))
        }
    }
}

/// Whether a task has ended.
private final class Ended: Sendable {
    let isSet = Mutex(false)
}

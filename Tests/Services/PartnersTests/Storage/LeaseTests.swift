import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Partners

@Suite("Leasing events in turn", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct LeaseTests {
    /// Adds endpoints of a store for each of which so many events wait.
    private func add(
        _ count: Int, of store: String, events: Int, _ partners: PartnersUnderTest
    ) async throws {
        let now = partners.clock.now
        try await partners.pool.withTransaction { transaction in
            for number in 0..<count {
                try await EndpointRepository.insert(
                    Endpoint(
                        id: try #require(EndpointID(rawValue: "we_\(store)-\(number)")), kind: .webhook,
                        url: "http://\(store).example/\(number)", types: [], store: StoreID(rawValue: store),
                        description: nil, signature: .symmetric, health: EndpointHealth(), createdAt: now),
                    on: transaction)
            }
            try await transaction.execute(
                """
                INSERT INTO events (event_id, type, delivery_id, store_id, version, occurred_at, body, is_test)
                SELECT 'msg_' || \(store)::text || '-' || number, 'delivery.placed', 'd', \(store), number, \(now), '', false
                FROM generate_series(1, \(events)) AS number
                """)
            try await transaction.execute(
                """
                INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
                SELECT endpoint_id, event_id, false, \(now), \(now) FROM endpoints
                JOIN events ON events.store_id = endpoints.store_id WHERE endpoints.store_id = \(store)
                """)
        }
    }

    /// Leases, and begins what there is a slot for.
    private func lease(
        _ queue: inout SendQueue, _ partners: PartnersUnderTest
    ) async throws -> [EventRepository.Leased] {
        let now = partners.clock.now
        let quotas = queue.capacity.quotas(of: try await EndpointRepository.sendable(at: now, on: partners.pool))
        let leased = try await EventRepository.lease(
            quotas, within: queue.capacity, at: now, for: .seconds(60), by: UUID(), on: partners.pool)
        let accepted = queue.accept(
            leased.map { SendQueue.Work(leased: $0, leasedAt: .now, url: "", keys: []) })
        #expect(accepted.unsent.isEmpty && accepted.begun.count + accepted.waiting == leased.count)
        return accepted.begun.map(\.leased)
    }

    @Test("Stores whose receivers never answer leave room for every other store's event")
    func hogs() async throws {
        try await PartnersUnderTest.run { partners, _ in
            var queue = SendQueue(SenderCapacity(.init(total: 256)), waitMax: .seconds(15))
            for store in ["a", "b", "c", "dead"] { try await add(100, of: store, events: 10, partners) }
            while try await !lease(&queue, partners).isEmpty {}
            #expect(queue.capacity.inFlight == 4 * queue.capacity.limits.slow)
            // Also while more of them come than there are shares.
            for store in ["e", "f", "g", "h"] {
                try await add(100, of: store, events: 10, partners)
                while try await !lease(&queue, partners).isEmpty {}
            }
            #expect(queue.capacity.isFull && queue.capacity.inFlight < queue.capacity.limits.total)
            for store in ["quiet", "calm"] {
                try await add(3, of: store, events: 2, partners)
                let leased = try await lease(&queue, partners)
                #expect(Set(leased.map(\.endpoint.rawValue)) == Set((0..<3).map { "we_\(store)-\($0)" }))
                // The kept slots are for endpoints with nothing in flight.
                #expect(leased.count == 3)
            }
        }
    }

    @Test("Quick endpoints of a store have all slots but the kept ones, and its slow endpoints only theirs")
    func quick() async throws {
        try await PartnersUnderTest.run { partners, _ in
            var queue = SendQueue(SenderCapacity(.init(total: 64)), waitMax: .seconds(15))
            try await add(20, of: "a", events: 10, partners)
            let first = try await lease(&queue, partners)
            #expect(first.count == queue.capacity.limits.slow)
            for one in first { queue.capacity.end(one.endpoint, after: 0.01) }
            try await EventRepository.release(first, on: partners.pool)
            let leased = Dictionary(
                grouping: try await lease(&queue, partners),
                by: { one in first.contains { $0.endpoint == one.endpoint } })
            #expect(leased[false]?.count == queue.capacity.limits.slow)
            #expect(queue.capacity.inFlight == queue.capacity.limits.total - queue.capacity.limits.kept)
            // Another store's event does not wait for them.
            try await add(1, of: "b", events: 1, partners)
            let next = try await lease(&queue, partners)
            #expect(next.map(\.endpoint.rawValue) == ["we_b-0"])
        }
    }

    @Test("Of several stores with much to send each gets as much, and every endpoint one event before any gets two")
    func turns() async throws {
        try await PartnersUnderTest.run { partners, _ in
            var queue = SendQueue(SenderCapacity(.init(total: 64)), waitMax: .seconds(15))
            try await add(12, of: "a", events: 10, partners)
            try await add(2, of: "b", events: 10, partners)
            let leased = try await lease(&queue, partners)
            let counts = Dictionary(grouping: leased, by: \.endpoint.rawValue).mapValues(\.count)
            #expect(counts.filter { $0.key.hasPrefix("we_a") }.values.sorted() == Array(repeating: 1, count: 8))
            #expect(counts.filter { $0.key.hasPrefix("we_b") }.values.sorted() == [4, 4])
            // Those that got none are the first when there is room again.
            let ofA = leased.map(\.endpoint).filter { $0.rawValue.hasPrefix("we_a") }
            for endpoint in ofA.dropFirst() { queue.capacity.end(endpoint, after: 1) }
            let next = try await lease(&queue, partners)
            #expect(next.allSatisfy { $0.endpoint.rawValue.hasPrefix("we_a") } && next.count == 7)
            #expect(!next.map(\.endpoint).contains(ofA[0]))
        }
    }
}

import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import PostgresClient
import TestSupport
import Testing

@testable import Partners

@Suite("Pages of receipts and events", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct PagesTests {
    @Test("A page of exactly as many receipts as fit is the last one; of one more the rest is on the next")
    func receipts() async throws {
        try await PartnersUnderTest.run { partners, client in
            func add(_ count: Int) async throws {
                try await partners.pool.execute(
                    """
                    INSERT INTO receipts (receipt_id, source_id, event_key, kind, delivery_names, state, is_known,
                        received_at)
                    SELECT gen_random_uuid(), 'uber', gen_random_uuid()::text, 'x', '{}', 'waiting', true,
                        \(PartnersUnderTest.start) FROM generate_series(1, \(count))
                    """)
            }
            try await add(ReadReceipts.pageRows)
            let whole: ReceiptsBody = try await partners.send(client, .get, "/v1/receipts").decode()
            #expect(whole.receipts.count == ReadReceipts.pageRows && whole.next == nil)
            try await add(1)
            let first: ReceiptsBody = try await partners.send(client, .get, "/v1/receipts").decode()
            let next = try #require(first.next)
            let second: ReceiptsBody = try await partners.send(client, .get, "/v1/receipts?cursor=\(next)").decode()
            #expect(second.receipts.count == 1 && second.next == nil)
            #expect(Set((first.receipts + second.receipts).map(\.id)).count == ReadReceipts.pageRows + 1)
        }
    }

    @Test("A full page of events is the last one too, and an event of a type that is not known ends no page early")
    func events() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            func add(_ event: String, _ count: Int) async throws {
                try await partners.pool.execute(
                    """
                    INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
                    SELECT \(endpoint.id.rawValue), \(event), true, now.at, now.at
                    FROM generate_series(1, \(count)), (VALUES (\(PartnersUnderTest.start)::timestamptz)) AS now (at)
                    """)
            }
            for (event, type) in [("msg_1", "delivery.changed"), ("msg_2", "delivery.sang")] {
                try await partners.pool.execute(
                    """
                    INSERT INTO events (event_id, type, delivery_id, store_id, version, occurred_at, body, is_test)
                    VALUES (\(event), \(type), 'd-1', 'nordhavn', 1, \(PartnersUnderTest.start), '{}', false)
                    """)
            }
            let path = "/v1/webhooks/\(endpoint.id)/deliveries"
            try await add("msg_1", ReadEventLog.pageRows)
            let whole: EventDeliveriesBody = try await partners.send(client, .get, path).decode()
            #expect(whole.deliveries.count == ReadEventLog.pageRows && whole.next == nil)
            try await add("msg_2", 1)
            let first: EventDeliveriesBody = try await partners.send(client, .get, path).decode()
            #expect(first.deliveries.count == ReadEventLog.pageRows - 1)
            let next = try #require(first.next)
            let second: EventDeliveriesBody = try await partners.send(client, .get, "\(path)?cursor=\(next)").decode()
            #expect(second.deliveries.count == 1 && second.next == nil)
        }
    }
}

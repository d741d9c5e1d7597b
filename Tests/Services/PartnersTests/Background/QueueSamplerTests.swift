import DomainTime
import DoorstepAPI
import Foundation
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Sampling of the webhooks' queue", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct QueueSamplerTests {
    private static func sampler(_ partners: PartnersUnderTest) -> QueueSampler {
        QueueSampler(
            pool: partners.pool, clock: partners.clock.domain, metrics: partners.metrics, logger: .silent)
    }

    @Test("Of a disabled endpoint's long queue a bounded number is counted, and endpoints are counted by their state")
    func longQueue() async throws {
        try await PartnersUnderTest.run { partners, client in
            let away = try await partners.addEndpoint(client)
            try await partners.addEndpoint(client, url: "http://shop.example/other")
            try await partners.pool.execute(
                "UPDATE endpoints SET disabled = 'failing' WHERE endpoint_id = \(away.id.rawValue)")
            try await partners.pool.execute(
                """
                INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
                SELECT \(away.id.rawValue), 'msg_1', true, \(PartnersUnderTest.start), \(PartnersUnderTest.start)
                FROM generate_series(1, \(EndpointRepository.waitingCountMax + 1))
                """)
            _ = try await partners.learnDelivery()
            partners.clock.advance(by: 30)
            try await Self.sampler(partners).sample()
            let text = partners.metrics.exposition()
            #expect(text.contains("doorstep_webhooks_waiting \(EndpointRepository.waitingCountMax + 1)\n"))
            #expect(text.contains("doorstep_webhooks_oldest_due_seconds 30\n"))
            #expect(text.contains("doorstep_webhook_endpoints{state=\"disabled\"} 1\n"))
            #expect(text.contains("doorstep_webhook_endpoints{state=\"enabled\"} 1\n"))
            #expect(text.contains("doorstep_webhook_endpoints{state=\"failing\"} 0\n"))
        }
    }

    @Test("Receipts are counted also where the queue cannot be read")
    func unreadableQueue() async throws {
        try await PartnersUnderTest.run { partners, _ in
            try await partners.pool.execute(
                """
                INSERT INTO receipts (receipt_id, source_id, event_key, kind, delivery_names, state, is_known,
                    received_at)
                VALUES (gen_random_uuid(), 'uber', 'e', 'x', '{}', 'unreadable', false, \(PartnersUnderTest.start))
                """)
            try await partners.pool.execute("ALTER TABLE event_deliveries RENAME TO unread")
            await #expect(throws: PostgresError.self) { try await Self.sampler(partners).sample() }
            #expect(
                partners.metrics.exposition().contains("doorstep_provider_events_for_people{state=\"unreadable\"} 1\n"))
        }
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import PostgresClient
import Testing
import WebhookSender

@testable import Partners

extension EventSenderTests {
    @Test(
        "Events that alone are refused keep their schedule, however many others are accepted meanwhile",
        arguments: [1, 12])
    func refusedAlone(count: Int) async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            partners.receivers.answer(500)
            for _ in 0..<count { try await partners.learn(try partners.delivery()) }
            let queued = try await log(partners, client, endpoint.id)
            let refused = Set(queued.map(\.event.rawValue))
            partners.receivers.answer { posted in
                .answered(status: refused.contains(posted.id) ? 500 : 204, excerpt: "", retryAfter: nil)
            }
            for _ in 0..<60 {
                try await partners.learn(try partners.delivery())
                try await run(partners, for: 10, step: 5)
            }
            let all = try await log(partners, client, endpoint.id)
            let failed = all.filter { refused.contains($0.event.rawValue) }
            // At once, once more after the first success, and after about five minutes.
            #expect(failed.count == count && failed.allSatisfy { $0.state == .waiting && $0.attempts <= 3 })
            #expect(all.filter { $0.state == .delivered }.count >= 40)
        }
    }

    @Test("An endpoint that failed before the clock was set back is sent events before the old time is reached")
    func clockSetBack() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            try await partners.learn(try partners.delivery())
            let former = partners.clock.now.addingTimeInterval(86_400)
            try await partners.pool.execute(
                """
                UPDATE endpoints SET failing_since = \(former), failed_at = \(former), failures = 1,
                    paused_until = \(former.addingTimeInterval(1))
                """)
            partners.receivers.answer(204)
            #expect(try await partners.parts.sender.sendDue() == 1)
            #expect(try await read(partners, client, endpoint.id).state == .enabled)
        }
    }

    @Test("The log of an event that was replayed often has its newest attempts, oldest first")
    func newestAttempts() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            try await partners.learn(try partners.delivery())
            let event = try #require(try await log(partners, client, endpoint.id).first).event
            try await partners.pool.execute(
                """
                INSERT INTO attempts (endpoint_id, event_id, at, milliseconds, status)
                SELECT \(endpoint.id.rawValue)::text, \(event.rawValue)::text, \(partners.clock.now)::timestamptz,
                    number, 500
                FROM generate_series(1, 201) AS number ORDER BY number
                """)
            let whole: EventDeliveryBody = try await partners.send(
                client, .get, "/v1/webhooks/\(endpoint.id)/deliveries/\(event)"
            ).decode()
            #expect(whole.log?.map(\.milliseconds) == Array(2...201))
        }
    }
}

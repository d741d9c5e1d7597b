import Foundation
import Testing
import WebhookSender

@testable import Partners

extension EventSenderTests {
    @Test("An event that alone is refused keeps its schedule, however many others are accepted meanwhile")
    func refusedAlone() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await add(partners, client)
            partners.receivers.answer(500)
            try await partners.learn(try partners.delivery())
            #expect(try await partners.parts.sender.sendDue() == 1)
            let refused = try #require(partners.receivers.posted.first?.id)
            partners.receivers.answer { posted in
                .answered(status: posted.id == refused ? 500 : 204, excerpt: "", retryAfter: nil)
            }
            for _ in 0..<60 {
                try await partners.learn(try partners.delivery())
                try await run(partners, for: 10, step: 5)
            }
            let all = try await log(partners, client, endpoint.id)
            let delivery = try #require(all.first { $0.event.rawValue == refused })
            // At once, once more after the first success, and after about five minutes.
            #expect(delivery.state == .waiting && delivery.attempts == 3)
            #expect(all.filter { $0.state == .delivered }.count == all.count - 1)
        }
    }
}

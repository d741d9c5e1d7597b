import DoorstepAPI
import Foundation
import Testing
import TextCoding
import WebhookSignatures

@testable import Partners

extension EventSenderTests {
    @Test("A former secret signs for its day also after the key that encrypted it is dropped")
    func droppedKey() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            let first = try #require(endpoint.secret)
            // The keys of a rotation: both decrypt and the new one encrypts, then the former one is dropped.
            let (former, present) = (Array(repeating: UInt8(7), count: 32), Array(repeating: UInt8(8), count: 32))
            let rotating = partners.replica(box: try SecretBox(keys: [1: former, 2: present], encrypting: 2))
            let rotated = try await rotating.endpoints.rotate(endpoint.id, within: nil)
            try await partners.learn(try partners.delivery())
            let sender = partners.replica(box: try SecretBox(keys: [2: present], encrypting: 2)).sender
            while try await sender.sendDue() > 0 {}
            let posted = try #require(partners.receivers.posted.first)
            let webhook = StandardWebhook(
                id: posted.id, timestamp: try #require(posted.headers["webhook-timestamp"]),
                signature: try #require(posted.headers["webhook-signature"]))
            for text in [first, rotated.secret] {
                try webhook.verify(posted.body, keys: [try WebhookKey(text)], now: Date())
            }
        }
    }
}

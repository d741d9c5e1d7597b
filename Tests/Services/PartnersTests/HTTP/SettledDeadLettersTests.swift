import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NatsClient
import PostgresClient
import ReliableMessaging
import Synchronization
import TestSupport
import Testing

@testable import Partners

@Suite("Dead letters that are settled", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SettledDeadLettersTests {
    /// The path that drops a new dead letter.
    private static func drop(_ partners: PartnersUnderTest, _ client: any TestClientProtocol) async throws -> String {
        try await partners.pool.execute(
            """
            INSERT INTO dead_letters (origin, message_id, subject, payload, headers, error, attempts)
            VALUES ('outbox', \(UUID().uuidString), 'a', ''::bytea, '{}'::jsonb, 'why', 1)
            """)
        let letters: DeadLettersBody = try await partners.send(client, .get, "/v1/admin/dead-letters").decode()
        return "/v1/admin/dead-letters/\(try #require(letters.deadLetters.first).id)/drop"
    }

    @Test("A dead letter is dropped with a reason, without the white space around it")
    func reason() async throws {
        try await PartnersUnderTest.run { partners, client in
            let path = try await Self.drop(partners, client)
            for blank in ["", " ", "\u{A0}\u{2003}"] {
                let refused = try await partners.send(client, .post, path, ReasonBody(reason: blank))
                #expect(refused.status == .badRequest)
            }
            let dropped = try await partners.send(client, .post, path, ReasonBody(reason: "  of no use "))
            #expect(dropped.status == .ok)
            let row = try #require(try await partners.pool.query("SELECT reason FROM dead_letters").first)
            #expect(try row.decode("reason", as: String.self).hasSuffix(": of no use"))
        }
    }

    @Test("A message from before the deliveries that are still known is not retried")
    func tooOld() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await DeadLetters(pool: partners.pool).record(
                StreamMessage(subject: "orders.delivery-changed.nowhere", payload: [], stream: "ORDERS"),
                of: "partners", error: "delivery is missing")
            let letters: DeadLettersBody = try await partners.send(client, .get, "/v1/admin/dead-letters").decode()
            let id = try #require(letters.deadLetters.first).id
            let refused = try await partners.send(client, .post, "/v1/admin/dead-letters/\(id)/retry")
            #expect(refused.problem == "dead-letter-too-old")
        }
    }

    @Test("Of two drops of a dead letter at once, the second is answered that it is settled")
    func droppedTwice() async throws {
        try await PartnersUnderTest.run { partners, client in
            let path = try await Self.drop(partners, client)
            let answers = Mutex<[String]>([])
            let dropping: @Sendable () async throws -> Void = {
                let answer = try await partners.send(client, .post, path, ReasonBody(reason: "of no use"))
                answers.withLock { $0.append(answer.problem ?? "\(answer.status.code)") }
            }
            // Both have read that it is open, and neither has locked it.
            try await partners.block([dropping, dropping], at: "dead_letters", in: "EXCLUSIVE")
            let outcomes = answers.withLock { $0.sorted() }
            #expect(outcomes == ["200", "dead-letter-settled"])
        }
    }
}

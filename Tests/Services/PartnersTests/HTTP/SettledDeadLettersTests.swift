import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import Partners

@Suite("Dead letters that are settled", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SettledDeadLettersTests {
    @Test("Of two drops of a dead letter at once, the second is answered that it is settled")
    func droppedTwice() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.pool.execute(
                """
                INSERT INTO dead_letters (origin, message_id, subject, payload, headers, error, attempts)
                VALUES ('outbox', \(UUID().uuidString), 'a', ''::bytea, '{}'::jsonb, 'why', 1)
                """)
            let letters: DeadLettersBody = try await partners.send(client, .get, "/v1/admin/dead-letters").decode()
            let path = "/v1/admin/dead-letters/\(try #require(letters.deadLetters.first).id)/drop"
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

import Foundation
import NatsClient
import PostgresClient
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Dead letters", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct DeadLettersTests {
    private func message(_ sequence: UInt64, storedAt seconds: TimeInterval = 0) -> StreamMessage {
        StreamMessage(
            subject: "orders.\(sequence)", payload: Array("{\"n\":\(sequence)}".utf8),
            headers: ["Nats-Msg-Id": "id-\(sequence)", "traceparent": "00-a-b-01"], stream: "ORDERS",
            streamSequence: sequence, timestamp: Date(timeIntervalSince1970: 1_790_000_000 + seconds))
    }

    @Test("They are listed newest first, page by page")
    func list() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            for sequence in UInt64(1)...7 { try await letters.record(message(sequence), of: "eta", error: "bad") }
            var subjects: [String] = []
            var cursor: UUID?
            var pages = 0
            repeat {
                let page = try await letters.list(after: cursor, rowsMax: 3)
                subjects += page.deadLetters.map(\.subject)
                cursor = page.next
                pages += 1
            } while cursor != nil
            #expect(subjects == (1...7).reversed().map { "orders.\($0)" })
            #expect(pages == 3)
        }
    }

    @Test("It keeps all there is to know about the message")
    func show() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            var odd = message(4)
            odd.headers["odd"] = "a\0b"
            try await letters.record(odd, of: "eta", error: "bad\0 and " + String(repeating: "long", count: 9_999))
            let id = try #require(await letters.list().deadLetters.first?.id)
            let letter = try #require(await letters.show(id))
            #expect(letter.consumer == "eta")
            #expect(letter.stream == "ORDERS")
            #expect(letter.streamSequence == 4)
            #expect(letter.messageID == "id-4")
            #expect(letter.text == "{\"n\":4}")
            #expect(letter.headers["odd"] == "a\u{FFFD}b")
            #expect(letter.error.hasPrefix("bad\u{FFFD} and long"))
            #expect(letter.error.count == 2_000)
            #expect(try await letters.show(UUID()) == nil)
        }
    }

    @Test("A message is kept once, though it comes again; the same number in a stream made anew is another message")
    func once() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            for _ in 0..<2 { try await letters.record(message(1), of: "eta", error: "bad") }
            #expect(try await count("dead_letters", pool) == 1)
            try await letters.record(message(1, storedAt: 3_600), of: "eta", error: "bad")
            try await letters.record(message(1), of: "dispatch", error: "bad")
            #expect(try await count("dead_letters", pool) == 3)
        }
    }

    @Test("A retry of a consumer's message leaves it to its consumer; nothing is published")
    func retryOfMessage() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            try await letters.record(message(1), of: "eta", error: "bad")
            let id = try #require(await letters.list().deadLetters.first?.id)
            try await letters.retry(id)
            await #expect(throws: DeadLetterError.notOpen(.retrying)) { try await letters.retry(id) }
            await #expect(throws: DeadLetterError.notOpen(.retrying)) { try await letters.drop(id, reason: "late") }
            #expect(try await count("outbox", pool) == 0)
            #expect(try await letters.leaseForRetry(of: "dispatch", for: .seconds(30)) == nil)
            #expect(try await letters.leaseForRetry(of: "eta", for: .seconds(30))?.id == id)
            // Another replica does not try it at the same time.
            #expect(try await letters.leaseForRetry(of: "eta", for: .seconds(30)) == nil)
        }
    }

    @Test("A message that is older than the ended deliveries that are kept is not retried, and can be dropped")
    func retryOfOldMessage() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool, messageDaysMax: 14)
            var (late, old) = (message(1), message(2))
            late.timestamp = Date(timeIntervalSinceNow: -13 * 86_400)
            old.timestamp = Date(timeIntervalSinceNow: -15 * 86_400)
            for message in [late, old] { try await letters.record(message, of: "eta", error: "bad") }
            let ids = Dictionary(
                uniqueKeysWithValues: try await letters.list().deadLetters.map { ($0.subject, $0.id) })
            let (lateID, oldID) = (try #require(ids["orders.1"]), try #require(ids["orders.2"]))
            try await letters.retry(lateID)
            await #expect(throws: DeadLetterError.tooOld) { try await letters.retry(oldID) }
            try await letters.drop(oldID, reason: "late")
            #expect(try await letters.counts().filter { $0.value > 0 } == [.retrying: 1, .dropped: 1])
        }
    }

    @Test("A retry of a message of ours enqueues it once, under a new id; then it is settled")
    func retryOfOutbox() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            try await pool.execute(
                """
                INSERT INTO dead_letters (origin, subject, message_id, payload, headers, error, attempts)
                VALUES ('outbox', 'orders.1', 'a', '{}', '{"Nats-Msg-Id": "a", "traceparent": "00-a-b-01"}', 'bad', 3)
                """)
            let id = try #require(await letters.list().deadLetters.first?.id)
            let newID = UUID()
            try await letters.retry(id, messageID: newID)
            await #expect(throws: DeadLetterError.notOpen(.retried)) { try await letters.retry(id) }
            await #expect(throws: DeadLetterError.notOpen(.retried)) { try await letters.drop(id, reason: "late") }
            await #expect(throws: DeadLetterError.notFound) { try await letters.retry(UUID()) }
            let rows = try await pool.query("SELECT * FROM outbox")
            #expect(rows.count == 1)
            #expect(try rows[0].decode("outbox_id", as: UUID.self) == newID)
            #expect(try rows[0].decode("subject", as: String.self) == "orders.1")
            #expect(try rows[0].decodeJSON("headers", as: [String: String].self) == ["traceparent": "00-a-b-01"])
        }
    }

    @Test("A timer that was set anew meanwhile is not set back by a retry")
    func retryOfTimer() async throws {
        try await withTables { pool in
            let due = Date(timeIntervalSince1970: 1_790_000_000)
            try await pool.execute(
                """
                INSERT INTO dead_letters (origin, subject, message_id, due_at, payload, headers, error, attempts)
                VALUES ('timer', 'nudge', 'a', \(due), '', '{}', 'bad', 3)
                """)
            let newer = DurableTimer(kind: "nudge", key: "a", dueAt: due + 60, payload: [2])
            try await pool.schedule(newer)
            let letters = DeadLetters(pool: pool)
            try await letters.retry(try #require(await letters.list().deadLetters.first?.id))
            let rows = try await pool.query("SELECT due_at FROM timers")
            #expect(try rows.map { try $0.decode("due_at", as: Date.self) } == [newer.dueAt])
        }
    }

    @Test("Dropping keeps the reason; states are counted; what was settled long ago goes")
    func drop() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            for sequence in UInt64(1)...3 { try await letters.record(message(sequence), of: "eta", error: "bad") }
            try await letters.countFailure(message(4), of: "eta", error: "bad", attemptsMax: 5)
            let ids = try await letters.list().deadLetters.map(\.id)
            #expect(ids.count == 3)
            try await letters.drop(ids[0], reason: "a test order")
            try await letters.retry(ids[1])
            #expect(try await letters.counts() == [.failing: 1, .open: 1, .retrying: 1, .retried: 0, .dropped: 1])
            try await letters.retried(ids[1])
            #expect(try await letters.show(ids[0])?.reason == "a test order")
            #expect(try await letters.counts() == [.failing: 1, .open: 1, .retrying: 0, .retried: 1, .dropped: 1])
            #expect(try await letters.list(state: .open).deadLetters.map(\.id) == [ids[2]])
            #expect(try await letters.deleteSettled(before: .distantPast) == 0)
            #expect(try await letters.deleteSettled(before: .distantFuture, rowsMax: 2) == 3)
            #expect(try await letters.counts()[.open] == 1)
        }
    }

    @Test("What was settled is kept for thirty days, and what is open for as long as it takes")
    func maintenance() async throws {
        try await withTables { pool in
            let letters = DeadLetters(pool: pool)
            for sequence in UInt64(1)...2 { try await letters.record(message(sequence), of: "eta", error: "bad") }
            try await letters.drop(try #require(await letters.list().deadLetters.first?.id), reason: "a test order")
            func maintenance(days: Double) -> DeadLetterMaintenance {
                DeadLetterMaintenance(letters, logger: .silent, wall: { Date().addingTimeInterval(days * 86_400) })
            }
            #expect(try await maintenance(days: 29).deleteSettled() == 0)
            #expect(try await maintenance(days: 31).deleteSettled() == 1)
            #expect(try await letters.counts()[.open] == 1)
        }
    }
}

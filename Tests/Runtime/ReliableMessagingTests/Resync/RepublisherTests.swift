import Foundation
import Logging
import PostgresClient
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Republisher", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct RepublisherTests {
    /// Republishes the numbers from 1 to `total`, each by a message to its own subject.
    private func republisher(
        _ pool: PostgresPool, total: Int, interval: Duration = .seconds(600), pageRowsMax: Int = 10
    ) -> Republisher {
        Republisher(pool: pool, name: "numbers", interval: interval, pageRowsMax: pageRowsMax, logger: .silent) {
            after, rowsMax, transaction in
            let first = (after.flatMap(Int.init) ?? 0) + 1
            let last = min(total, first + rowsMax - 1)
            let numbers = first <= last ? Array(first...last) : []
            try await transaction.enqueue(numbers.map { OutboxMessage(subject: "n.\($0)", payload: []) })
            return RepublishedPage(count: numbers.count, next: last < total ? "\(last)" : nil)
        }
    }

    private func subjects(_ pool: PostgresPool) async throws -> [String: Int] {
        let rows = try await pool.query("SELECT subject, count(*) AS count FROM outbox GROUP BY subject")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.decode("subject"), try $0.decode("count")) })
    }

    private func all(_ total: Int, times: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (1...total).map { ("n.\($0)", times) })
    }

    @Test("At once means everything, once, and it returns how much", arguments: [1, 10, 25])
    func now(_ total: Int) async throws {
        try await withTables { pool in
            let count = try await republisher(pool, total: total).republishNow()
            #expect(count == total)
            #expect(try await subjects(pool) == all(total, times: 1))
        }
    }

    @Test("With nothing live there is nothing to do")
    func nothing() async throws {
        try await withTables { pool in
            let count = try await republisher(pool, total: 0).republishNow()
            #expect(count == 0)
            #expect(try await republisher(pool, total: 0).tick() == 0)
        }
    }

    @Test("A round resumes after a restart, covers everything once, and then waits for its time")
    func round() async throws {
        try await withTables { pool in
            for expected in [10, 10, 5, 0, 0] {
                let count = try await republisher(pool, total: 25).tick()
                #expect(count == expected)
            }
            #expect(try await subjects(pool) == all(25, times: 1))
        }
    }

    @Test("The next round begins when the interval is over, and is spread by what the last one had")
    func nextRound() async throws {
        try await withTables { pool in
            // So long that what the machine takes for itself does not count.
            let republisher = republisher(pool, total: 240, interval: .seconds(600_000))
            while try await republisher.tick() > 0 {}
            #expect(try await subjects(pool) == all(240, times: 1))
            try await pool.execute("UPDATE republish_rounds SET started_at = started_at - interval '600000 s'")
            // 240 in 58 ticks of 5,000 s.
            #expect(try await republisher.tick() == 5)
            try await pool.execute("UPDATE republish_rounds SET started_at = started_at - interval '145000 s'")
            let half = try await republisher.tick()
            #expect(half == 120)
            try await pool.execute("UPDATE republish_rounds SET started_at = started_at - interval '140000 s'")
            _ = try await republisher.tick()
            #expect(try await subjects(pool) == all(240, times: 2))
        }
    }

    @Test("After a round that had nothing, what there is by the end of the next is republished in it")
    func grownFromNothing() async throws {
        try await withTables { pool in
            #expect(try await republisher(pool, total: 0).tick() == 0)
            try await pool.execute("UPDATE republish_rounds SET started_at = started_at - interval '290 s'")
            #expect(try await republisher(pool, total: 25).tick() == 0)
            try await pool.execute("UPDATE republish_rounds SET started_at = started_at - interval '285 s'")
            #expect(try await republisher(pool, total: 25).tick() == 25)
            #expect(try await subjects(pool) == all(25, times: 1))
        }
    }

    @Test("One replica works at a time")
    func oneAtATime() async throws {
        try await withTables { pool in
            let republisher = republisher(pool, total: 25)
            _ = try await republisher.tick()
            try await pool.withTransaction { other in
                try await other.query("SELECT FROM republish_rounds WHERE name = 'numbers' FOR UPDATE")
                #expect(try await republisher.tick() == 0)
            }
            #expect(try await republisher.tick() == 10)
        }
    }

    @Test("A page that fails leaves the round where it was")
    func failure() async throws {
        try await withTables { pool in
            _ = try await republisher(pool, total: 25).tick()
            let failing = Republisher(pool: pool, name: "numbers", logger: .silent) { _, _, transaction in
                try await transaction.enqueue(OutboxMessage(subject: "half", payload: []))
                throw HandlerFailure()
            }
            await #expect(throws: HandlerFailure.self) { try await failing.tick() }
            while try await republisher(pool, total: 25).tick() > 0 {}
            #expect(try await subjects(pool) == all(25, times: 1))
        }
    }
}

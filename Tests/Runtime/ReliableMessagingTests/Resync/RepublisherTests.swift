import Foundation
import Logging
import PostgresClient
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Republisher", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct RepublisherTests {
    /// Republishes the numbers from 1 to `total` in each of three slices, each by a message to its own subject.
    private func republisher(
        _ pool: PostgresPool, total: Int, interval: Duration = .seconds(600_000), pageRowsMax: Int = 10
    ) -> Republisher {
        Republisher(pool: pool, name: "numbers", interval: interval, pageRowsMax: pageRowsMax, logger: .silent) {
            slice, rowsMax, transaction in
            guard slice.number < 3 else { return RepublishedPage(count: 0, next: nil) }
            let first = (slice.after.flatMap(Int.init) ?? 0) + 1
            let last = min(total, first + rowsMax - 1)
            let numbers = first <= last ? Array(first...last) : []
            try await transaction.enqueue(
                numbers.map { OutboxMessage(subject: "n.\(slice.number).\($0)", payload: []) })
            return RepublishedPage(count: numbers.count, next: last < total ? "\(last)" : nil)
        }
    }

    private func subjects(_ pool: PostgresPool) async throws -> [String: Int] {
        let rows = try await pool.query("SELECT subject, count(*) AS count FROM outbox GROUP BY subject")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.decode("subject"), try $0.decode("count")) })
    }

    private func all(_ total: Int, slices: Range<Int> = 0..<3, times: Int = 1) -> [String: Int] {
        var all: [String: Int] = [:]
        for slice in slices { for number in 1...total { all["n.\(slice).\(number)"] = times } }
        return all
    }

    /// Has so much time pass; so much that what the machine takes for itself does not count.
    private func pass(_ ticks: Double, _ pool: PostgresPool) async throws {
        let seconds = ticks * 600_000 / Double(RepublishPlan.ticks)
        try await pool.execute(
            """
            UPDATE resync_rounds SET slice_due_at = slice_due_at - make_interval(secs => \(seconds)),
                slice_begun_at = slice_begun_at - make_interval(secs => \(seconds))
            """)
    }

    @Test("At once means everything, once, and it returns how much", arguments: [1, 10, 25])
    func now(_ total: Int) async throws {
        try await withTables { pool in
            let count = try await republisher(pool, total: total).republishNow()
            #expect(count == 3 * total)
            #expect(try await subjects(pool) == all(total))
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

    @Test("A slice a tick, in pages, by whichever process comes first")
    func slices() async throws {
        try await withTables { pool in
            for (slice, counts) in [[25, 0], [25, 0], [25, 0], [0, 0]].enumerated() {
                for count in counts {
                    let done = try await republisher(pool, total: 25).tick()
                    #expect(done == count)
                }
                #expect(try await subjects(pool) == all(25, slices: 0..<min(3, slice + 1)))
                try await pass(1, pool)
            }
        }
    }

    @Test("The next round begins after the last slice")
    func nextRound() async throws {
        try await withTables { pool in
            let republisher = republisher(pool, total: 25)
            for _ in 0..<(RepublishSlice.count + 1) {
                _ = try await republisher.tick()
                try await pass(1, pool)
            }
            #expect(try await subjects(pool) == all(25).merging(all(25, slices: 0..<1, times: 2)) { $1 })
        }
    }

    @Test("One replica works at a time")
    func oneAtATime() async throws {
        try await withTables { pool in
            let republisher = republisher(pool, total: 25)
            _ = try await republisher.tick()
            try await pass(1, pool)
            try await pool.withTransaction { other in
                try await other.query("SELECT FROM resync_rounds WHERE name = 'numbers' FOR UPDATE")
                #expect(try await republisher.tick() == 0)
            }
            #expect(try await republisher.tick() == 25)
        }
    }

    @Test("A page that fails leaves the round where it was, and the slice goes on with it")
    func failure() async throws {
        try await withTables { pool in
            let working = republisher(pool, total: 25)
            let failing = Republisher(pool: pool, name: "numbers", pageRowsMax: 10, logger: .silent) {
                slice, rowsMax, transaction in
                guard slice.after != nil else {
                    try await transaction.enqueue((1...10).map { OutboxMessage(subject: "n.0.\($0)", payload: []) })
                    return RepublishedPage(count: 10, next: "10")
                }
                try await transaction.enqueue(OutboxMessage(subject: "half", payload: []))
                throw HandlerFailure()
            }
            await #expect(throws: HandlerFailure.self) { try await failing.tick() }
            let rest = try await working.tick()
            let published = try await subjects(pool)
            #expect(rest == 15 && published == all(25, slices: 0..<1))
        }
    }

    @Test("Ids of every kind fall into slices evenly", arguments: ["gen_random_uuid()::text", "'order-' || n"])
    func hashes(_ id: String) async throws {
        try await withTables { pool in
            let rows = try await pool.query(
                """
                SELECT hashtext(id) & 127 AS slice, count(*) AS count
                FROM (SELECT \(raw: id) AS id FROM generate_series(1, 100000) AS n) AS ids GROUP BY slice
                """)
            let counts = try rows.map { try $0.decode("count", as: Int.self) }
            let most = Double(100_000 / RepublishSlice.count) * 1.5 + 32
            #expect(counts.count == RepublishSlice.count && counts.allSatisfy { Double($0) <= most })
        }
    }
}

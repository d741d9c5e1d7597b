import Foundation
import Logging
import Messages
import NatsClient
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Republisher", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct RepublisherTests {
    /// The numbers from 1 to `total` in each of three slices, each with a message to its own subject.
    ///
    /// The 13 is gone when it is to be read. One reader is of odd numbers, and one of even ones.
    private struct Numbers: RepublishedRows {
        let total: Int
        /// What becomes of a second page.
        var secondPage: @Sendable (PostgresTransaction) async throws -> Void = { _ in }

        private func object(_ slice: Int, _ number: Int) -> RepublishableObject {
            let subject = number.isMultiple(of: 2) ? "even" : "odd"
            let id = "\(slice).\(number)"
            return RepublishableObject(
                id: id, revisions: [subject: PublishedRevision(id: id, version: number)], isUnconfirmed: number == 7)
        }

        func page(
            of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
        ) async throws -> RepublishablePage {
            guard slice.number < 3 else { return RepublishablePage(objects: [], next: nil) }
            if slice.ends == .older {
                return RepublishablePage(objects: total > 0 ? [object(slice.number, total + 1)] : [], next: nil)
            }
            if slice.after != nil { try await secondPage(transaction) }
            let first = (slice.after.flatMap(Int.init) ?? 0) + 1
            let last = min(total, first + rowsMax - 1)
            let numbers = first <= last ? Array(first...last) : []
            return RepublishablePage(
                objects: numbers.map { object(slice.number, $0) }, next: last < total ? "\(last)" : nil)
        }

        func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages {
            let present = ids.filter { !$0.hasSuffix(".13") }
            return RepublishedMessages(
                messages: present.map { OutboxMessage(subject: "n.\($0)", payload: []) }, count: present.count)
        }
    }

    /// Republishes the numbers from 1 to `total` in each of three slices, each by a message to its own subject.
    ///
    /// The next number of each slice is an older end.
    private func republisher(
        _ pool: PostgresPool, total: Int, interval: Duration = .seconds(600_000), pageRowsMax: Int = 10,
        readers: DigestRequester = .readers()
    ) -> Republisher {
        Republisher(
            pool: pool, name: "numbers", interval: interval, pageRowsMax: pageRowsMax, readers: readers,
            logger: .silent, rows: Numbers(total: total))
    }

    private func subjects(_ pool: PostgresPool) async throws -> [String: Int] {
        let rows = try await pool.query("SELECT subject, count(*) AS count FROM outbox GROUP BY subject")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.decode("subject"), try $0.decode("count")) })
    }

    private func all(_ total: Int, slices: Range<Int> = 0..<3, times: Int = 1) -> [String: Int] {
        var all: [String: Int] = [:]
        for slice in slices { for number in 1...total where number != 13 { all["n.\(slice).\(number)"] = times } }
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

    @Test(
        "On request everything is republished once, whatever readers have, and it returns how much",
        arguments: [1, 10, 25])
    func all(_ total: Int) async throws {
        try await withTables { pool in
            let republisher = republisher(pool, total: total, readers: .readers { _, _ in [] })
            let count = try await republisher.republishAll()
            #expect(count == all(total).count)
            #expect(try await subjects(pool) == all(total))
        }
    }

    @Test(
        "On request a reader gets the older ends that it lacks, and none while it does not answer",
        arguments: [true, false])
    func older(isSilent: Bool) async throws {
        try await withTables { pool in
            let lines = LogLines()
            let readers =
                isSilent
                ? DigestRequester(logger: .silent) { _, _ in throw HandlerFailure() }
                : .readers { ids, _ in Set(ids.filter { $0 == "1.11" }) }
            let republisher = Republisher(
                pool: pool, name: "numbers", readers: readers, logger: lines.logger, rows: Numbers(total: 10))
            let count = try await republisher.republishAll()
            #expect(count == all(10).count + (isSilent ? 0 : 1))
            #expect(lines.all.contains { $0.hasPrefix("warning: Older ends") } == isSilent)
        }
    }

    @Test("On request slices with little in them share a transaction", arguments: [(0, 2), (1, 2), (25, 9)])
    func transactions(total: Int, count: Int) async throws {
        try await withTables { pool in
            let pages = Log<Int>()
            let republisher = Republisher(
                pool: pool, name: "numbers", pageRowsMax: 10, readers: .readers(), logger: .silent,
                afterCommit: { pages.append(1) }, rows: Numbers(total: total))
            try await republisher.republishAll()
            #expect(pages.all.count == count)
        }
    }

    @Test("Only what its reader lacks is republished, and what nobody can be asked about")
    func lacking() async throws {
        try await withTables { pool in
            let asked = Log<String>()
            let readers = DigestRequester.readers { ids, subject in
                for id in ids { asked.append("\(subject) \(id)") }
                return ["0.3", "1.10", "2.25", "2.13"]
            }
            let count = try await republisher(pool, total: 25, readers: readers).republishLacking().count
            #expect(count == 6)
            let expected = ["n.0.3", "n.1.10", "n.2.25", "n.0.7", "n.1.7", "n.2.7"]
            #expect(try await subjects(pool) == Dictionary(uniqueKeysWithValues: expected.map { ($0, 1) }))
            // Each about its own, once.
            #expect(
                Set(asked.all)
                    == Set(
                        (0..<3).flatMap { slice in
                            (1...25).map { "\($0.isMultiple(of: 2) ? "even" : "odd") \(slice).\($0)" }
                        }))
            #expect(asked.all.count == 75)
        }
    }

    @Test("The periodic round republishes only what is lacking, and goes on")
    func periodic() async throws {
        try await withTables { pool in
            let republisher = republisher(
                pool, total: 25, readers: .readers { ids, _ in Set(ids.filter { $0 == "1.4" }) })
            for count in [1, 2, 1, 0] {
                let seen = try await republisher.tick()
                #expect(seen == count)
                try await pass(1, pool)
            }
            #expect(try await subjects(pool) == ["n.0.7": 1, "n.1.4": 1, "n.1.7": 1, "n.2.7": 1])
        }
    }

    /// What a reader may reply with instead of an answer.
    enum Reply: CaseIterable, Sendable {
        case fault, place, text, nothing, silence

        func callAsFunction() throws -> [UInt8] {
            switch self {
            case .fault: Array(#"{"schema":1,"places":[],"fault":"there are too many revisions"}"#.utf8)
            case .place: Array(#"{"schema":1,"places":[5]}"#.utf8)
            case .text: Array("no".utf8)
            case .nothing: []
            case .silence: throw HandlerFailure()
            }
        }
    }

    @Test(
        "A reader that does not answer is republished everything, another one only what it lacks",
        arguments: Reply.allCases)
    func unanswered(_ reply: Reply) async throws {
        try await withTables { pool in
            let lines = LogLines()
            let readers = DigestRequester(logger: lines.logger) { _, subject in
                subject == "odd" ? Array(#"{"schema":1,"places":[0]}"#.utf8) : try reply()
            }
            let republisher = republisher(pool, total: 10, readers: readers)
            let count = try await republisher.tick()
            #expect(count == 7)
            let expected = [1, 2, 4, 6, 7, 8, 10].map { ("n.0.\($0)", 1) }
            #expect(try await subjects(pool) == Dictionary(uniqueKeysWithValues: expected))
            try await pass(1, pool)
            let again = try await republisher.tick()
            #expect(again == 7)
            #expect(lines.all.count { $0.hasPrefix("warning: A reader does not answer") } == 1)
        }
    }

    @Test("On request a reader that does not answer is left to the periodic round")
    func unansweredOnRequest() async throws {
        try await withTables { pool in
            let readers = DigestRequester(logger: .silent) { _, subject in
                subject == "odd" ? Array(#"{"schema":1,"places":[0]}"#.utf8) : try Reply.silence()
            }
            let count = try await republisher(pool, total: 10, readers: readers).republishLacking().count
            #expect(count == 6)
            let expected = (0..<3).flatMap { ["n.\($0).1", "n.\($0).7"] }
            #expect(try await subjects(pool) == Dictionary(uniqueKeysWithValues: expected.map { ($0, 1) }))
        }
    }

    @Test("A comparison asks a reader again that was silent just before, and is incomplete while one is")
    func askedAgain() async throws {
        try await withTables { pool in
            let isStarting = Mutex(true)
            let readers = DigestRequester(logger: .silent) { _, _ in
                if isStarting.withLock(\.self) { return try Reply.silence() }
                return Array(#"{"schema":1,"places":[0]}"#.utf8)
            }
            let republisher = republisher(pool, total: 10, readers: readers)
            #expect(try await !republisher.republishLacking().isComplete)
            isStarting.withLock { $0 = false }
            let (count, isComplete) = try await republisher.republishLacking()
            #expect(isComplete && count > 3)
        }
    }

    @Test("A comparison is incomplete where a reader left a page without an answer, though it answers later ones")
    func answeredLater() async throws {
        try await withTables { pool in
            let now = Mutex(ContinuousClock.now)
            let answers = Mutex<[Bool]>([])
            let readers = DigestRequester(logger: .silent, now: { now.withLock(\.self) }) { _, subject in
                if subject == "odd" {
                    // Two pages later the silent reader is asked again.
                    now.withLock { $0 += .seconds(60) }
                } else {
                    let isFirst = answers.withLock { answers in
                        answers.append(!answers.isEmpty)
                        return answers.count == 1
                    }
                    if isFirst { return try Reply.silence() }
                }
                return Array(#"{"schema":1,"places":[]}"#.utf8)
            }
            let isComplete = try await republisher(pool, total: 25, readers: readers).republishLacking().isComplete
            #expect(answers.withLock { $0.first == false && $0.last == true }, "it answered a later page")
            #expect(!isComplete)
        }
    }

    @Test("Without the broker nothing is enqueued and the round waits")
    func disconnected() async throws {
        try await withTables { pool in
            let nats = NatsClient(NatsConfiguration(servers: ["nats://127.0.0.1:1"]), logger: .silent)
            let waiting = republisher(pool, total: 10, readers: DigestRequester(nats, logger: .silent))
            await #expect(throws: NatsError.self) { try await waiting.tick() }
            let published = try await subjects(pool)
            #expect(published.isEmpty)
            let count = try await republisher(pool, total: 10).tick()
            #expect(count == 10)
        }
    }

    @Test("With nothing live there is nothing to do")
    func nothing() async throws {
        try await withTables { pool in
            let count = try await republisher(pool, total: 0).republishAll()
            #expect(count == 0)
            #expect(try await republisher(pool, total: 0).tick() == 0)
        }
    }

    @Test("A slice a tick, in pages, by whichever process comes first")
    func slices() async throws {
        try await withTables { pool in
            for (slice, counts) in [[24, 0], [24, 0], [24, 0], [0, 0]].enumerated() {
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
                let count = try await republisher.tick()
                #expect(count == 0)
            }
            let count = try await republisher.tick()
            #expect(count == 24)
        }
    }

    @Test("A page that fails leaves the round where it was, and the slice goes on with it")
    func failure() async throws {
        try await withTables { pool in
            let working = republisher(pool, total: 25)
            let broken = Numbers(total: 25) { transaction in
                try await transaction.enqueue(OutboxMessage(subject: "half", payload: []))
                throw HandlerFailure()
            }
            let failing = Republisher(
                pool: pool, name: "numbers", pageRowsMax: 10, readers: .readers(), logger: .silent, rows: broken)
            await #expect(throws: HandlerFailure.self) { try await failing.tick() }
            let rest = try await working.tick()
            let published = try await subjects(pool)
            #expect(rest == 14 && published == all(25, slices: 0..<1))
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

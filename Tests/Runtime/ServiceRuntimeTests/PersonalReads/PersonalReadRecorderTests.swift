import DomainTime
import DoorstepAPI
import Foundation
import Logging
import PostgresClient
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Recorded reads of personal data", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PersonalReadRecorderTests {
    @Test("The polls of an hour are one row with their number, and the next hour's are another")
    func polls() async throws {
        try await RecordedReads.run { subject in
            let poll = RecordedReads.read(
                RecordedReads.listDeliveries, by: "nordhavn", .store, deliveries: ["a", "b"], customer: "mira")
            for _ in 0..<60 {
                try await subject.recorder.record(poll)
                subject.clock.advance(by: 59)
            }
            try await subject.recorder.flush()
            let first = try #require(try await subject.rows().first)
            #expect(try await subject.rows().count == 1)
            #expect(first.reads == 60 && first.objects == 120 && first.role == "store" && first.by == "nordhavn")
            #expect(first.deliveries == ["a", "b"] && first.customers == ["mira"])
            #expect(first.lastAt.timeIntervalSince(first.at) == 59 * 59)
            subject.clock.advance(by: 60)
            try await subject.recorder.record(poll)
            #expect(try await subject.rows().map(\.reads) == [1, 60])
        }
    }

    @Test("A list's row grows by the deliveries that come later, at once")
    func growing() async throws {
        try await RecordedReads.run { subject in
            try await subject.recorder.record(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a"]))
            try await subject.recorder.record(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a"]))
            try await subject.recorder.record(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a", "b"]))
            let row = try #require(try await subject.rows().first)
            #expect(row.deliveries == ["a", "b"] && row.reads == 3 && row.objects == 4)
            #expect(try await subject.rows().count == 1)
        }
    }

    @Test("Each object, reader, operation and store has a row of its own")
    func rows() async throws {
        try await RecordedReads.run { subject in
            for reader in ["ada", "bo"] {
                for delivery in ["a", "b", "a"] {
                    try await subject.recorder.record(
                        RecordedReads.read(RecordedReads.getDelivery, by: reader, deliveries: [delivery]))
                }
            }
            try await subject.recorder.record(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a"]))
            try await subject.recorder.record(
                PersonalRead(
                    role: .operator, reader: "ada", subject: "ada", store: "valby",
                    operation: RecordedReads.listDeliveries,
                    persons: Persons(customer: nil, delivery: "a")))
            try await subject.recorder.flush()
            let rows = try await subject.rows()
            #expect(rows.count == 6)
            #expect(rows.map(\.reads).sorted() == [1, 1, 1, 1, 2, 2])
        }
    }

    @Test("A full row is followed by another, and no id is lost")
    func full() async throws {
        try await RecordedReads.run { subject in
            let pages = 7
            for page in 0..<pages {
                let ids = (0..<200).map { "delivery-\(page)-\($0)" }
                try await subject.recorder.record(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ids))
            }
            let rows = try await subject.rows()
            #expect(rows.count == 2)
            #expect(rows.allSatisfy { $0.deliveries.count <= PersonalReadRecorder.Hour.rowIDsMax })
            #expect(Set(rows.flatMap(\.deliveries)).count == pages * 200)
        }
    }

    @Test("An answer of thousands of ids with another one at each poll writes each id once")
    func large() async throws {
        try await RecordedReads.run { subject in
            let ids = (0..<2_900).map { "delivery-\($0)" }
            for poll in 0..<40 {
                try await subject.recorder.record(
                    RecordedReads.read(RecordedReads.listDeliveries, deliveries: ids + ["new-\(poll)"]))
                subject.clock.advance(by: 10)
            }
            try await subject.recorder.flush()
            let rows = try await subject.rows()
            #expect(rows.count == 3)
            #expect(rows.map(\.deliveries.count).sorted() == [940, 1_000, 1_000])
            #expect(Set(rows.flatMap(\.deliveries)).count == 2_940)
            #expect(rows.map(\.reads).sorted() == [1, 1, 40])
            // The ids of the older rows were in every answer.
            #expect(rows.allSatisfy { $0.lastAt.timeIntervalSince($0.at) == 390 })
        }
    }

    @Test("More rows than the database is given at once are all written")
    func many() async throws {
        let reads = 4_500
        try await RecordedReads.run { subject in
            for number in 0..<reads {
                subject.recorder.note(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["\(number)"]))
            }
            try await subject.recorder.flush()
            let rows = try await subject.pool.query("SELECT count(*) AS rows FROM personal_reads")
            #expect(try rows.first?.decode("rows", as: Int.self) == reads)
        }
    }

    @Test("Where the memory is full, what is pending is written and what is written is forgotten")
    func memory() async throws {
        try await RecordedReads.run(memoryMax: 100) { subject in
            for number in 0..<60 {
                subject.recorder.note(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["\(number % 6)"]))
                try await subject.recorder.record(
                    RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["\(number)"]))
            }
            try await subject.recorder.flush()
            let rows = try await subject.rows()
            #expect(rows.reduce(0) { $0 + ($1.operation == "getDelivery" ? $1.reads : 0) } == 60)
            #expect(Set(rows.flatMap(\.deliveries)).count == 60)
        }
    }

    @Test("A read that has no room, and no database, is dropped and fails")
    func noRoom() async throws {
        try await RecordedReads.run(memoryMax: 5) { subject in
            try await subject.pool.execute("ALTER TABLE personal_reads RENAME TO hidden")
            subject.recorder.note(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["a"]))
            subject.recorder.note(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["b"]))
            await #expect(throws: PostgresError.self) {
                try await subject.recorder.record(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["c"]))
            }
            #expect(
                await !subject.recorder.record(
                    RecordedReads.read(RecordedReads.getDelivery, deliveries: ["d"]), within: .seconds(60)))
            try await subject.pool.execute("ALTER TABLE hidden RENAME TO personal_reads")
            try await subject.recorder.flush()
            #expect(try await subject.rows().map(\.deliveries) == [["a"]])
        }
    }

    @Test("A store is answered while the table is locked, and its read is in the log after the next flush")
    func deadline() async throws {
        try await RecordedReads.run { subject in
            let read = RecordedReads.read(RecordedReads.getDelivery, by: "nordhavn", .store, deliveries: ["a"])
            try await subject.pool.withTransaction { transaction in
                try await transaction.execute("LOCK TABLE personal_reads IN ACCESS EXCLUSIVE MODE")
                #expect(await !subject.recorder.record(read, within: .milliseconds(1)))
                // An operator is refused: no lock is waited for without end.
                await #expect(throws: PostgresError.self) {
                    try await subject.recorder.record(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["a"]))
                }
            }
            try await subject.recorder.flush()
            #expect(try await subject.rows().map(\.by) == ["nordhavn"])
            #expect(await subject.recorder.record(read, within: .seconds(60)))
        }
    }

    @Test("Concurrent first reads are one row with their number")
    func concurrent() async throws {
        try await RecordedReads.run { subject in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await subject.recorder.record(
                            RecordedReads.read(RecordedReads.getDelivery, deliveries: ["a"]))
                    }
                }
                try await group.waitForAll()
            }
            try await subject.recorder.flush()
            let rows = try await subject.rows()
            #expect(rows.count == 1 && rows.first?.reads == 50 && rows.first?.deliveries == ["a"])
        }
    }

    @Test("A stream's persons are in the log after the next flush")
    func streams() async throws {
        try await RecordedReads.run { subject in
            subject.recorder.note(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a"]))
            subject.recorder.note(RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["b"]))
            #expect(try await subject.rows().isEmpty)
            try await subject.recorder.flush()
            #expect(try await subject.rows().map(\.deliveries) == [["a", "b"]])
        }
    }

    @Test("A read that cannot be recorded fails, is no part of a later row, and counts wait for the database")
    func failing() async throws {
        try await RecordedReads.run { subject in
            try await subject.recorder.record(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["a"]))
            try await subject.pool.execute("ALTER TABLE personal_reads RENAME TO hidden")
            await #expect(throws: PostgresError.self) {
                try await subject.recorder.record(
                    RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["lost"]))
            }
            // A repeated read needs no database.
            try await subject.recorder.record(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["a"]))
            await #expect(throws: PostgresError.self) { try await subject.recorder.flush() }
            try await subject.pool.execute("ALTER TABLE hidden RENAME TO personal_reads")
            try await subject.recorder.flush()
            #expect(try await subject.rows().map(\.reads) == [2])
            #expect(try await subject.rows().flatMap(\.deliveries) == ["a"])
        }
    }

    @Test("The log is read page by page, newest first, by person, reader and time")
    func pages() async throws {
        try await RecordedReads.run { subject in
            for number in 0..<120 {
                try await subject.recorder.record(
                    RecordedReads.read(
                        RecordedReads.getDelivery, by: number % 2 == 0 ? "Ada Lovelace (oidc:login#u1)" : "bo",
                        deliveries: ["delivery-\(number)"], customer: "customer-\(number % 3)"))
                subject.clock.advance(by: 1)
            }
            var seen: [String] = []
            var cursor: UUID?
            repeat {
                let page = try await subject.recorder.log.list(.init(), after: cursor)
                seen += page.reads.flatMap(\.deliveries)
                cursor = page.next.flatMap { UUID(uuidString: $0) }
            } while cursor != nil
            #expect(seen == (0..<120).reversed().map { "delivery-\($0)" })

            func count(_ change: (inout PersonalReadLog.Filter) -> Void) async throws -> Int {
                var filter = PersonalReadLog.Filter()
                change(&filter)
                return try await subject.rows(filter).count
            }
            #expect(try await count { $0.customer = "customer-1" } == 40)
            #expect(try await count { $0.delivery = "delivery-7" } == 1)
            #expect(try await count { $0.courier = "jonas" } == 0)
            #expect(
                try await count {
                    $0.reader = "oidc:login#u1"; $0.customer = "customer-0"
                } == 20)
            #expect(
                try await count {
                    $0.reader = "Ada Lovelace (oidc:login#u1)"; $0.delivery = "delivery-4"
                } == 1)
            #expect(try await count { $0.reader = "u1" } == 0)
            let start = Date(timeIntervalSince1970: 1_795_284_000)
            #expect(try await count { $0.from = start + 110 } == 10)
            #expect(try await count { $0.until = start + 9 } == 10)
        }
    }

    @Test("An erased person's id is replaced, and the reads stay")
    func erased() async throws {
        try await RecordedReads.run { subject in
            try await subject.recorder.record(
                RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a", "b"], customer: "mira"))
            func replace() async throws -> [String: Int] {
                try await PersonalReadLog.replace(.customer, "mira", with: "erased-1", on: subject.pool)
            }
            #expect(try await replace() == ["personal_reads": 1])
            #expect(try await replace() == [:])
            let row = try #require(try await subject.rows().first)
            #expect(row.customers == ["erased-1"] && row.deliveries == ["a", "b"])
        }
    }

    @Test("An id in more rows than one transaction replaces is replaced in all of them")
    func erasedMany() async throws {
        try await RecordedReads.run { subject in
            let read = RecordedReads.read(RecordedReads.listDeliveries, deliveries: ["a"], customer: "mira")
            for _ in 0..<450 {
                subject.recorder.note(read)
                subject.clock.advance(by: 3_600)
            }
            try await subject.recorder.flush()
            let replaced = try await PersonalReadLog.replace(.customer, "mira", with: "erased-1", on: subject.pool)
            #expect(replaced == ["personal_reads": 450])
            var filter = PersonalReadLog.Filter()
            filter.customer = "mira"
            #expect(try await subject.rows(filter).isEmpty)
        }
    }

    @Test("The table refuses to forget or to change a read")
    func appendOnly() async throws {
        try await RecordedReads.run { subject in
            try await subject.recorder.record(RecordedReads.read(RecordedReads.getDelivery, deliveries: ["a"]))
            let refused: [SQL] = [
                "DELETE FROM personal_reads", "UPDATE personal_reads SET reader = 'bo'",
                "UPDATE personal_reads SET subject = 'bo'",
                "UPDATE personal_reads SET operation = 'getFace'", "UPDATE personal_reads SET reads = 0",
                "UPDATE personal_reads SET deliveries = '{}'", "UPDATE personal_reads SET recorded_at = '2020-01-01'",
                "UPDATE personal_reads SET store_id = 'valby'", "UPDATE personal_reads SET read_at = now()",
            ]
            for statement in refused {
                await #expect(throws: PostgresError.self, "\(statement.text)") {
                    try await subject.pool.execute(statement)
                }
            }
            #expect(try await subject.rows().map(\.by) == ["ada"])
        }
    }

    @Test("Reads past their retention are deleted, and younger ones stay")
    func retention() async throws {
        try await RecordedReads.run(keptDays: 40) { subject in
            for days in [39, 41, 400] {
                try await subject.pool.execute(
                    """
                    INSERT INTO personal_reads (personal_read_id, read_at, last_read_at, role, reader, subject, operation,
                        kind, customers, deliveries, couriers, reads, objects, recorded_at)
                    VALUES (gen_random_uuid(), now(), now(), 'operator', 'ada', 'ada', 'getDelivery', 'drop_off', '{}', '{}',
                        '{}', 1, 1, now() - make_interval(days => \(days)::integer))
                    """)
            }
            try await subject.recorder.log.deleteExpired(days: 40)
            #expect(try await subject.rows().count == 1)
        }
    }
}

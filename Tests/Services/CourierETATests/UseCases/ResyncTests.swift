import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("Resync and retention", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ResyncTests {
    @Test("Everything live or lately ended is published again at the same steps, with unreported milestones")
    func republish() async throws {
        try await Harness.run { harness in
            let live = try Delivery.sample(in: .pickedUp)
            let ended = try Delivery.sample(in: .delivered)
            try await harness.parts.applyDeliveryChange(live.changed(at: 0))
            try await harness.parts.applyDeliveryChange(ended.changed(at: 0))
            harness.move(to: 120)
            for fix in ride(from: 0, until: 0.13) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            let newest = try #require(try await harness.published().intents.filter { $0.delivery == live.id }.last)

            let pages = try await harness.parts.republishAll(rowsMax: 1, on: harness.pool)
            #expect(pages.map(\.objects.count).reduce(0, +) == 2)
            let again = try await harness.published()
            #expect(again.intents.contains(newest))
            #expect(again.intents.contains { $0.delivery == ended.id && $0.step.isEnd })
            #expect(again.milestones == [.leftStore])

            harness.move(to: 14 * 3_600)
            let later = try await harness.parts.republishAll(on: harness.pool)
            #expect(later.map(\.objects.count).reduce(0, +) == 1, "what ended 14 hours ago is on no screen any more")
        }
    }

    @Test("What readers are asked about is what its messages carry", arguments: StatusCode.allCases)
    func revisions(_ code: StatusCode) async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: code)
            harness.move(to: 120)
            for fix in ride(from: 0, until: 0.13) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            _ = try await harness.published()
            let pages = try await harness.parts.republishAll(on: harness.pool)
            let object = try #require(pages.flatMap(\.objects).first)
            let messages = try await harness.published()
            #expect(object.isUnconfirmed == !messages.milestones.isEmpty)
            let estimate = messages.estimates.last
            #expect(
                object.revisions[Subject.ordersEstimates]
                    == estimate.map {
                        PublishedRevision(id: $0.delivery.rawValue, version: $0.version, step: $0.step)
                    })
            let intent = messages.intents.last
            #expect(
                object.revisions[Subject.activityDispatchIntents]
                    == intent.map {
                        PublishedRevision(
                            id: $0.activity.rawValue, isEnded: $0.step.isEnd,
                            version: $0.step.content.revision.version, step: $0.step.content.revision.step,
                            isProlonged: !$0.step.isEnd)
                    })
        }
    }

    @Test("A delivery that is not known, or as of an older version, is lacking")
    func lacking() async throws {
        try await Harness.run { harness in
            let delivery = try await harness.learnDelivery(in: .pickedUp)
            let asked = [-1, 0, 1].map {
                PublishedRevision(id: delivery.id.rawValue, version: delivery.version + $0)
            }
            let unknown = PublishedRevision(id: "nobody's", version: 1)
            #expect(try await DeliveryRepository.lacking([unknown] + asked, on: harness.pool) == [0, 3])
            #expect(try await DeliveryRepository.lacking([], on: harness.pool) == [])
        }
    }

    @Test("A delivery whose row cannot be read is passed over, and every other is published again")
    func unreadable() async throws {
        try await Harness.run { harness in
            let broken = try Delivery.sample(in: .pickedUp)
            let whole = try Delivery.sample(in: .delivered)
            try await harness.parts.applyDeliveryChange(broken.changed(at: 0))
            try await harness.parts.applyDeliveryChange(whole.changed(at: 0))
            try await harness.pool.execute("DELETE FROM outbox")
            try await harness.pool.execute("UPDATE deliveries SET snapshot = '{}' WHERE delivery_id = \(broken.id)")
            let pages = try await harness.parts.republishAll(on: harness.pool)
            #expect(pages.map(\.objects.count).reduce(0, +) == 1)
            #expect(pages.flatMap(\.skipped).map(\.id) == [broken.id.rawValue])
            #expect(try await harness.published().intents.map(\.delivery) == [whole.id])
        }
    }

    @Test("Fixes are kept for seven days and dropped by the day")
    func retention() async throws {
        try await Harness.run { harness in
            harness.move(to: 900)
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 1), of: mira.id)
            try await harness.learnDelivery(in: .delivered)
            try await harness.retention.delete(at: seconds(6.9 * 86_400))
            #expect(try await Self.counts(harness) == [61, 1])
            try await harness.retention.delete(at: seconds(9 * 86_400))
            #expect(try await Self.counts(harness) == [0, 1])
            try await harness.retention.delete(at: seconds(15 * 86_400))
            #expect(try await Self.counts(harness) == [0, 0])
        }
    }

    /// The numbers of stored fixes and of deliveries.
    private static func counts(_ harness: Harness) async throws -> [Int] {
        let row = try await harness.pool.query(
            "SELECT (SELECT count(*) FROM fixes) AS fixes, (SELECT count(*) FROM deliveries) AS deliveries")[0]
        return [try row.decode("fixes"), try row.decode("deliveries")]
    }

    /// A database whose statements fail where they wait behind a lock that is held.
    private static var impatient: PostgresConfiguration {
        var configuration = TestPostgres.current
        configuration.statementTimeout = .seconds(30)
        return configuration
    }

    @Test("The first fix after midnight is ingested while a dump holds the table")
    func midnightDuringDump() async throws {
        try await Harness.run(on: Self.impatient) { harness in
            func fix(at time: Double) -> Fix { Fix(time: seconds(time), place: along(0.1), accuracy: 10, speed: 3) }
            #expect(try await harness.parts.ingestFixes([fix(at: 0)], of: mira.id).accepted == 1)
            try await harness.pool.withTransaction { dump in
                try await dump.execute("LOCK TABLE fixes IN ACCESS SHARE MODE")
                harness.move(to: 86_400)
                #expect(try await harness.parts.ingestFixes([fix(at: 86_395)], of: mira.id).accepted == 1)
            }
            #expect(try await Self.counts(harness) == [2, 0])
        }
    }

    @Test("A day that a dump holds is kept for the next run, and what else is past its retention is deleted")
    func retentionDuringDump() async throws {
        try await Harness.run(on: Self.impatient) { harness in
            harness.move(to: 900)
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 1), of: mira.id)
            try await harness.learnDelivery(in: .delivered)
            try await harness.pool.withTransaction { dump in
                try await dump.execute("LOCK TABLE fixes IN ACCESS SHARE MODE")
                try await harness.retention.delete(at: seconds(15 * 86_400))
                #expect(try await Self.counts(harness) == [61, 0])
            }
            try await harness.retention.delete(at: seconds(15 * 86_400))
            #expect(try await Self.counts(harness) == [0, 0])
        }
    }

    @Test("A day has the key and the checks of the table, and only days of fixes that may be recorded are made")
    func days() async throws {
        try await Harness.run { harness in
            try await harness.partitions.create(
                for: [start, seconds(5), seconds(-40 * 86_400), .distantFuture], receivedAt: start)
            let partitions = try await harness.pool.query(
                "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'fixes'::regclass"
            ).map { try $0.decode("name", as: String.self) }
            #expect(partitions.count == 1)
            func constraints(of table: String) async throws -> [String] {
                try await harness.pool.query(
                    """
                    SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint
                    WHERE conrelid = \(table)::regclass AND contype IN ('c', 'p') ORDER BY 1
                    """
                ).map { try $0.decode("definition", as: String.self) }
            }
            let expected = try await constraints(of: "fixes")
            #expect(expected.count == 3)
            let partition = try #require(partitions.first)
            #expect(try await constraints(of: partition) == expected)
            try await harness.partitions.createAhead(of: start)
            let days = try await harness.pool.query("SELECT FROM pg_inherits WHERE inhparent = 'fixes'::regclass").count
            #expect(days == 2 + FixPartitions.daysAhead)
        }
    }

    @Test("Several replicas may make the same day at once")
    func sameDay() async throws {
        try await Harness.run { harness in
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask { try await FixRepository.createPartition(of: start, on: harness.pool) }
                }
                try await group.waitForAll()
            }
            try await harness.partitions.createAhead(of: start)
        }
    }

    @Test("The service's role, which owns no table, makes days, fills them and drops them")
    func withoutOwnership() async throws {
        try await Harness.run { harness in
            let schema = SQL.identifier(try #require(harness.pool.configuration.schema))
            let role = SQL.identifier("role_of_" + (harness.pool.configuration.schema ?? ""))
            try await harness.pool.execute("CREATE ROLE \(sql: role)")
            try await harness.pool.execute("GRANT USAGE ON SCHEMA \(sql: schema) TO \(sql: role)")
            try await harness.pool.execute(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(sql: schema) TO \(sql: role)")
            let dropped = try await harness.pool.withTransaction { transaction in
                try await transaction.execute("SET LOCAL ROLE \(sql: role)")
                try await FixRepository.createPartition(of: start, on: transaction)
                let fixes = ride(from: 0, until: 0.5)
                let batch = FixBatch(courier: mira.id, fixes: fixes)
                let new = try await transaction.query(
                    FixRepository.inserting(fixes.map { (batch, $0) }, receivedAt: start))
                #expect(new.count == fixes.count)
                return try await FixRepository.dropPartitions(before: seconds(2 * 86_400), on: transaction)
            }
            #expect(dropped == 1)
            try await harness.pool.execute("DROP OWNED BY \(sql: role)")
            try await harness.pool.execute("DROP ROLE \(sql: role)")
        }
    }
}

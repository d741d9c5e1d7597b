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

@Suite("Healing and retention", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct HealingTests {
    @Test("Everything live or lately ended is said again at the steps that were said, with unheard milestones")
    func republish() async throws {
        try await Harness.run { harness in
            let live = try Delivery.sample(in: .pickedUp)
            let ended = try Delivery.sample(in: .delivered)
            try await harness.parts.takeDelivery(live.said(at: 0))
            try await harness.parts.takeDelivery(ended.said(at: 0))
            harness.move(to: 120)
            for fix in ride(from: 0, until: 0.13) { _ = try await harness.parts.takeFixes([fix], of: mira.id) }
            let newest = try #require(try await harness.said().intents.filter { $0.delivery == live.id }.last)

            let page = { (cursor: String?, rowsMax: Int) async throws -> RepublishedPage in
                try await harness.pool.withTransaction { transaction in
                    try await harness.parts.republishLive.page(after: cursor, rowsMax: rowsMax, in: transaction)
                }
            }
            let first = try await page(nil, 1)
            let second = try await page(first.next, 1)
            let third = try await page(second.next, 1)
            #expect([first.count, second.count, third.count] == [1, 1, 0] && third.next == nil)
            let again = try await harness.said()
            #expect(again.intents.contains(newest))
            #expect(again.intents.contains { $0.delivery == ended.id && $0.step.isEnd })
            #expect(again.milestones == [.leftStore])

            harness.move(to: 14 * 3_600)
            #expect(try await page(nil, 10).count == 1, "what ended 14 hours ago is on no screen any more")
        }
    }

    @Test("A delivery whose row cannot be read is passed over, and every other is said again")
    func unreadable() async throws {
        try await Harness.run { harness in
            let broken = try Delivery.sample(in: .pickedUp)
            let whole = try Delivery.sample(in: .delivered)
            try await harness.parts.takeDelivery(broken.said(at: 0))
            try await harness.parts.takeDelivery(whole.said(at: 0))
            try await harness.pool.execute("DELETE FROM outbox")
            try await harness.pool.execute("UPDATE deliveries SET snapshot = '{}' WHERE delivery_id = \(broken.id)")
            let page = try await harness.pool.withTransaction { transaction in
                try await harness.parts.republishLive.page(after: nil, rowsMax: 10, in: transaction)
            }
            #expect(page.count == 1 && page.skipped.map(\.id) == [broken.id.rawValue])
            #expect(try await harness.said().intents.map(\.delivery) == [whole.id])
        }
    }

    @Test("Fixes are kept for seven days and dropped by the day")
    func retention() async throws {
        try await Harness.run { harness in
            harness.move(to: 900)
            _ = try await harness.parts.takeFixes(ride(from: 0, until: 1), of: mira.id)
            try await harness.parts.takeDelivery(try Delivery.sample(in: .delivered).said(at: 0))
            let counts = { () async throws -> [Int] in
                let row = try await harness.pool.query(
                    "SELECT (SELECT count(*) FROM fixes) AS fixes, (SELECT count(*) FROM deliveries) AS deliveries")[0]
                return [try row.decode("fixes"), try row.decode("deliveries")]
            }
            try await harness.days.drop(at: seconds(6.9 * 86_400))
            #expect(try await counts() == [61, 1])
            try await harness.days.drop(at: seconds(9 * 86_400))
            #expect(try await counts() == [0, 1])
            try await harness.days.drop(at: seconds(15 * 86_400))
            #expect(try await counts() == [0, 0])
        }
    }

    @Test("Several replicas may make the same day at once")
    func sameDay() async throws {
        try await Harness.run { harness in
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask { try await CourierETARepository.makeDay(of: start, on: harness.pool) }
                }
                try await group.waitForAll()
            }
            try await harness.days.make(around: start)
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
                try await CourierETARepository.makeDay(of: start, on: transaction)
                let fixes = ride(from: 0, until: 0.5)
                let heard = TakeFixes.Heard(courier: mira.id, fixes: fixes)
                let new = try await transaction.query(
                    CourierETARepository.keeping(fixes.map { (heard, $0) }, receivedAt: start))
                #expect(new.count == fixes.count)
                return try await CourierETARepository.dropDays(before: seconds(2 * 86_400), on: transaction)
            }
            #expect(dropped == 1)
            try await harness.pool.execute("DROP OWNED BY \(sql: role)")
            try await harness.pool.execute("DROP ROLE \(sql: role)")
        }
    }
}

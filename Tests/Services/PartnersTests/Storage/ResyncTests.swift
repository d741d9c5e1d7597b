import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Messages
import OrderDomain
import PostgresClient
import ProviderSamples
import ReliableMessaging
import TestSupport
import Testing
import WireCoding

@testable import Partners

@Suite("Reports that readers lack", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ResyncTests {
    @Test("Every delivery with reports is compared by their number, and all of its reports are published again")
    func republished() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            var deliveries: [Delivery] = []
            for _ in 0..<3 {
                let delivery = try partners.delivery()
                deliveries.append(delivery)
                try await partners.learn(delivery)
            }
            for delivery in deliveries.prefix(2) {
                let life = ProviderLife(of: .doorDash, reference: delivery.id.rawValue, from: PartnersUnderTest.start)
                for body in life.bodies { _ = try await partners.post(client, body, from: .doorDash, source) }
            }
            let rows = ReportRepublisher(clock: partners.clock.domain)
            let objects = try await partners.pool.withTransaction { transaction in
                var objects: [RepublishableObject] = []
                for slice in RepublishSlice.all {
                    objects += try await rows.page(of: slice, rowsMax: 100, in: transaction).objects
                }
                return objects
            }
            #expect(Set(objects.map(\.id)) == Set(deliveries.prefix(2).map(\.id.rawValue)))
            #expect(objects.allSatisfy { $0.revisions[Subject.ordersReports]?.version == 7 })
            let first = try await partners.outbox().reports
            let again = try await partners.pool.withTransaction { transaction in
                try await rows.messages(of: objects.map(\.id), in: transaction)
            }
            let reports = try again.messages.map {
                try WireJSON.decode(ProviderReported.self, from: Data($0.payload))
            }
            #expect(Set(reports) == Set(first) && reports.count == first.count && again.skipped.isEmpty)
        }
    }

    @Test("What ended longer ago than readers keep it is not compared any more")
    func ended() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            var delivery = try await partners.learnDelivery()
            let life = ProviderLife(of: .doorDash, reference: delivery.id.rawValue, from: PartnersUnderTest.start)
            _ = try await partners.post(client, life.bodies[0], from: .doorDash, source)
            try await partners.change(&delivery, .status(.cancelled, reason: nil))
            partners.clock.advance(by: Resync.secondsAfterEnd + 60)
            let rows = ReportRepublisher(clock: partners.clock.domain)
            let count = try await partners.pool.withTransaction { transaction in
                var count = 0
                for slice in RepublishSlice.all {
                    count += try await rows.page(of: slice, rowsMax: 100, in: transaction).objects.count
                }
                return count
            }
            #expect(count == 0)
        }
    }

    @Test("What is past its retention is deleted, and nothing else")
    func retention() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            try await partners.addEndpoint(client)
            func live() async throws -> [Int] {
                var counts: [Int] = []
                for table in [
                    "receipts", "events", "event_deliveries", "attempts", "deliveries", "reported_deliveries",
                ] {
                    counts.append(
                        try await partners.pool.query("SELECT count(*) AS count FROM \(raw: table)")[0].decode("count"))
                }
                return counts
            }
            func happen() async throws {
                let delivery = try await partners.learnDelivery()
                let life = ProviderLife(of: .doorDash, reference: delivery.id.rawValue, from: PartnersUnderTest.start)
                _ = try await partners.post(client, life.bodies[0], from: .doorDash, source)
                while try await partners.parts.sender.sendDue() > 0 {}
            }
            try await happen()
            try await partners.pool.execute("UPDATE deliveries SET ended_at = seen_at")
            partners.clock.advance(by: Double(RetentionTimes().deliveriesDays) * 86_400 - 60)
            try await happen()
            #expect(try await live() == [2, 2, 2, 2, 2, 2])
            partners.clock.advance(by: 120)
            let retention = Retention(
                pool: partners.pool, clock: partners.clock.domain, logger: .silent)
            try await retention.delete(at: partners.clock.now)
            // An event stays for two days more, so that none is queued without it.
            #expect(try await live() == [1, 2, 1, 1, 1, 1])
            partners.clock.advance(by: 2 * 86_400)
            try await retention.delete(at: partners.clock.now)
            #expect(try await live() == [1, 1, 1, 1, 1, 1])
        }
    }
    @Test(
        "What a provider calls a delivery is kept while the delivery is on its way, and as long as its row after that")
    func references() async throws {
        try await PartnersUnderTest.run { partners, client in
            let now = partners.clock.now
            func row(_ delivery: String, ended: Bool) async throws {
                try await partners.pool.execute(
                    """
                    INSERT INTO deliveries (delivery_id, store_id, seen_version, ended_at, seen_at)
                    VALUES (\(delivery), 'nordhavn', 1, \(ended ? now : nil), \(now))
                    """)
                try await partners.pool.execute(
                    """
                    INSERT INTO provider_references (source_id, reference, delivery_id, set_at)
                    VALUES ((SELECT source_id FROM sources LIMIT 1), \("of \(delivery)"), \(delivery), \(now))
                    """)
            }
            _ = try await partners.addSource(client, .doorDash)
            try await row("live", ended: false)
            try await row("ended", ended: true)
            func left() async throws -> [String] {
                try await partners.pool.query("SELECT delivery_id FROM provider_references ORDER BY 1")
                    .map { try $0.decode("delivery_id") }
            }
            let retention = Retention(
                pool: partners.pool, clock: partners.clock.domain,
                times: RetentionTimes(receiptsDays: 7, eventsDays: 7), logger: .silent)
            try await retention.delete(at: now.addingTimeInterval(7 * 86_400))
            #expect(try await left() == ["ended", "live"])
            try await retention.delete(at: now.addingTimeInterval(7 * 86_400 + 1))
            #expect(try await left() == ["live"])
            try await partners.pool.execute("UPDATE deliveries SET ended_at = seen_at")
            try await retention.delete(at: now.addingTimeInterval(7 * 86_400 + 1))
            #expect(try await left() == [])
        }
    }

    @Test("A deletion that fails keeps no other row past its time, and its failure is thrown")
    func failedDeletion() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let now = partners.clock.now
            try await partners.pool.execute(
                """
                INSERT INTO deliveries (delivery_id, store_id, seen_version, ended_at, seen_at)
                VALUES ('ended', 'nordhavn', 1, \(now), \(now))
                """)
            try await partners.pool.execute("ALTER TABLE attempts RENAME TO attempts_elsewhere")
            let retention = Retention(pool: partners.pool, clock: partners.clock.domain, logger: .silent)
            let error = await #expect(throws: PostgresError.self) {
                try await retention.delete(at: now.addingTimeInterval(40 * 86_400))
            }
            #expect(error?.sqlState == "42P01")
            let left = try await partners.pool.query("SELECT FROM deliveries").count
            #expect(left == 0)
        }
    }
}

import DomainTime
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Customers without data", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ExpiredCustomersTests {
    private func customers(_ service: DispatchUnderTest) async throws -> [String] {
        try await service.pool.query("SELECT customer_id FROM customers ORDER BY customer_id")
            .map { try $0.decode("customer_id") }
    }

    @Test("A customer is forgotten with their last device and activity")
    func forgotten() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.pool.execute("INSERT INTO customers (customer_id) VALUES ('niels')")
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            try await retention.deleteExpired()
            let left = try await customers(service)
            #expect(left == [DispatchUnderTest.mira.rawValue])
            service.clock.advance(by: 91 * 86_400)
            try await retention.deleteExpired()
            let none = try await customers(service)
            #expect(none == [])
        }
    }

    @Test("A table of one page is read each time, and a larger one whole, once in an interval")
    func pages() async throws {
        try await DispatchUnderTest.run { service in
            let customers = UnusedRows(in: "customers", by: "customer_id")
            func insert() async throws {
                try await service.pool.execute(
                    "INSERT INTO customers (customer_id) SELECT 'c' || number FROM generate_series(1, 5) AS number")
            }
            func deleted(inPagesOf rowsMax: Int = 2) async throws -> Int {
                try await customers.delete(
                    at: service.clock.now, inPagesOf: rowsMax, where: ExpiredRows.isUnusedCustomer, on: service.pool)
            }
            for _ in 1...2 {
                try await insert()
                #expect(try await deleted(inPagesOf: 6) == 5, "a table of one page is read each time")
            }
            try await insert()
            #expect(try await deleted() == 5)
            try await insert()
            service.clock.advance(by: UnusedRows.interval - 1)
            #expect(try await deleted() == 0)
            service.clock.advance(by: 1)
            #expect(try await deleted() == 5)
        }
    }

    @Test("A deletion that fails keeps no other row past its time, and its failure is thrown")
    func failedDeletion() async throws {
        try await DispatchUnderTest.run { service in
            try await service.pool.execute("INSERT INTO customers (customer_id) VALUES ('niels')")
            try await service.pool.execute("ALTER TABLE pushes RENAME TO pushes_elsewhere")
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            let error = await #expect(throws: PostgresError.self) { try await retention.deleteExpired() }
            #expect(error?.sqlState == "42P01")
            let left = try await customers(service)
            #expect(left == [])
        }
    }

    @Test("The health of a delivery's cards goes with its last activity, after its time")
    func health() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let now = service.clock.now
            try await service.pool.execute(
                """
                INSERT INTO card_health (delivery_id, sequence, cards, behind, changed_at)
                VALUES ('gone', 1, 1, 0, \(now)), ('live', 1, 1, 0, \(now))
                """)
            try await service.pool.execute(
                """
                INSERT INTO activities (activity_id, customer_id, delivery_id, wanted, is_ended, version, step, wanted_at)
                VALUES ('a', \(DispatchUnderTest.mira.rawValue), 'live', '{}', false, 1, 1, \(now))
                """)
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            func left() async throws -> [String] {
                try await service.pool.query("SELECT delivery_id FROM card_health ORDER BY delivery_id")
                    .map { try $0.decode("delivery_id") }
            }
            service.clock.advance(by: 14 * 86_400)
            try await retention.deleteExpired()
            #expect(try await left() == ["gone", "live"])
            service.clock.advance(by: 1)
            try await retention.deleteExpired()
            #expect(try await left() == ["live"])
        }
    }

    @Test("One whom somebody is about to write of is not")
    func locked() async throws {
        try await DispatchUnderTest.run { service in
            try await service.pool.execute("INSERT INTO customers (customer_id) VALUES ('mira')")
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            try await service.pool.withTransaction { transaction in
                _ = try await ActivityRepository.lockCustomer(DispatchUnderTest.mira, in: transaction)
                try await retention.deleteExpired()
            }
            let left = try await customers(service)
            #expect(left == [DispatchUnderTest.mira.rawValue])
        }
    }

    @Test("A device that is being registered again, or gets a card, is not deleted meanwhile")
    func lockedDevices() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            service.clock.advance(by: 91 * 86_400)
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            func left() async throws -> Int {
                try await service.pool.query("SELECT FROM devices").count
            }
            try await service.pool.withTransaction { transaction in
                _ = try await ActivityRepository.lockDevice(DispatchUnderTest.phone, in: transaction)
                try await retention.deleteExpired()
            }
            #expect(try await left() == 1)
            try await service.pool.withTransaction { transaction in
                try await transaction.execute("UPDATE devices SET registered_at = \(service.clock.now)")
                try await retention.deleteExpired()
            }
            try await retention.deleteExpired()
            #expect(try await left() == 1)
        }
    }

    @Test("What changes while its deletion waits for it stays")
    func changing() async throws {
        try await DispatchUnderTest.run { service in
            let now = service.clock.now
            try await service.pool.execute(
                """
                INSERT INTO alert_subscriptions (delivery_id, endpoint, p256dh, auth, locale, alerted_ids, is_on,
                    subscribed_at) VALUES ('d', 'https://push.example/mira', '', '', 'da', '[]', true, \(now))
                """)
            service.clock.advance(by: 91 * 86_400)
            let later = service.clock.now
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            let deletion = try await service.pool.withTransaction { transaction in
                try await transaction.execute("UPDATE alert_subscriptions SET subscribed_at = \(later)")
                let deletion = Task { try await retention.deleteExpired() }
                let waiting: SQL = """
                    SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid
                    """
                try await eventually("the deletion waits for the row") { try await !transaction.query(waiting).isEmpty }
                return deletion
            }
            try await deletion.value
            #expect(try await service.pool.query("SELECT FROM alert_subscriptions").count == 1)
        }
    }

    @Test("A device and a subscription stay while a delivery of theirs is on its way")
    func live() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let now = service.clock.now
            let statements: [SQL] = [
                """
                INSERT INTO activities (activity_id, customer_id, delivery_id, wanted, is_ended, version, step, wanted_at)
                VALUES ('a', \(DispatchUnderTest.mira.rawValue), 'd', '{}', false, 1, 1, \(now))
                """,
                """
                INSERT INTO alert_subscriptions (delivery_id, endpoint, p256dh, auth, locale, alerted_ids, is_on,
                    subscribed_at) VALUES ('d', 'https://push.example/mira', '', '', 'da', '[]', true, \(now))
                """,
            ]
            for statement in statements { try await service.pool.execute(statement) }
            func left() async throws -> [Int] {
                let row = try await service.pool.query(
                    """
                    SELECT (SELECT count(*) FROM devices) AS devices,
                        (SELECT count(*) FROM alert_subscriptions) AS subscriptions
                    """)[0]
                return [try row.decode("devices"), try row.decode("subscriptions")]
            }
            let retention = Retention(
                pool: service.pool, clock: service.clock.domain,
                times: RetentionTimes(devicesDays: 7, subscriptionsDays: 7), logger: .silent)
            service.clock.advance(by: 8 * 86_400)
            try await retention.deleteExpired()
            #expect(try await left() == [1, 1])
            try await service.pool.execute(
                "UPDATE activities SET is_ended = true, wanted_at = \(service.clock.now)")
            try await retention.deleteExpired()
            #expect(try await left() == [0, 0])
        }
    }
}

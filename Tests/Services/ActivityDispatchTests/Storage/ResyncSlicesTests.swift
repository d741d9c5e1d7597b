import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Pages of the resync of activity-dispatch", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ResyncSlicesTests {
    let delivery = DeliveryID(UUID())

    @Test(
        "A page reads no activity that it does not return, however many ended long ago; a live one is changed in place")
    func reads() async throws {
        try await DispatchUnderTest.run { service in
            let (pool, now) = (service.pool, service.clock.now)
            try await pool.execute("INSERT INTO customers (customer_id) VALUES ('mira')")
            try await pool.execute(
                """
                INSERT INTO activities (activity_id, customer_id, delivery_id, wanted, is_ended, version, step, wanted_at)
                SELECT id || '-1', 'mira', id, '{}', ago IS NOT NULL, 1, 0,
                    \(now)::timestamptz - make_interval(hours => coalesce(ago, 1))
                FROM (SELECT ago, gen_random_uuid()::text AS id FROM generate_series(1, 3000),
                    (SELECT unnest(ARRAY[NULL, 1, 12, 24, 48, 300]) AS ago) AS ends) AS rows
                """)
            try await pool.execute(
                """
                INSERT INTO card_health (delivery_id, sequence, cards, behind, changed_at)
                SELECT delivery_id, 1, 1, 0, wanted_at FROM activities
                """)
            try await pool.execute("ANALYZE")
            var ids: [String] = []
            for slice in RepublishSlice.all {
                let reads = try await PageReads(
                    of: slice, through: "activities_by_slice", rowsMax: 20, on: pool
                ) { CardHealthRepository.republishableRows(of: $0, rowsMax: 20, at: now) }
                #expect(reads.faultyPlans.isEmpty, "\(reads.faultyPlans.first ?? "")")
                ids += reads.ids
            }
            #expect(ids.count == 9_000 && Set(ids).count == 9_000)

            try await pool.withTransaction { transaction in
                try await transaction.execute(
                    """
                    UPDATE activities SET step = step + 1, wanted_at = \(now) WHERE ctid = (
                        SELECT max(ctid) FROM activities WHERE NOT is_ended)
                    """)
                let rows = try await transaction.query(
                    """
                    SELECT n_tup_hot_upd AS hot FROM pg_stat_xact_user_tables
                    WHERE schemaname = current_schema() AND relname = 'activities'
                    """)
                #expect(try rows.first?.decode("hot", as: Int.self) == 1)
            }
        }
    }

    /// When the phone is due after a resync, or nil; it was not due before unless `dueAt` says so.
    private func dueAfterResync(
        _ service: DispatchUnderTest, dueAt: Date? = nil, breaking: SQL? = nil
    ) async throws -> Date? {
        try await service.pool.execute("UPDATE devices SET due_at = \(dueAt)")
        if let breaking { try await service.pool.execute(breaking) }
        let devices = DevicesToReconcile(clock: service.clock.domain)
        _ = try await pagesOfAllSlices(of: devices, rowsMax: 10, on: service.pool)
        return try await service.pool.query("SELECT due_at FROM devices").first?.decode("due_at", as: Date?.self) ?? nil
    }

    @Test("A device whose cards are up to date and that waits for its time is not touched")
    func upToDate() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let later = service.clock.now.addingTimeInterval(3_600)
            #expect(try await dueAfterResync(service, dueAt: later) == later)
        }
    }

    @Test(
        "A device that is never due, or too late, or whose card lacks something, is due at once",
        arguments: [
            "UPDATE devices SET due_at = NULL", "UPDATE devices SET due_at = due_at + interval '9 hours'",
            "UPDATE cards SET must_end = true", "UPDATE cards SET sent = NULL",
            "UPDATE cards SET sent = jsonb_set(sent, '{show,content,revision,version}', '0')",
            "UPDATE cards SET sent = jsonb_set(sent, '{show,staleAt}', '1')",
            "UPDATE cards SET state = 'waiting', reason = 'start_budget'",
            "UPDATE cards SET state = 'waiting', reason = NULL",
            "UPDATE activities SET is_ended = true",
        ])
    func lacking(_ fault: String) async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let later = service.clock.now.addingTimeInterval(3_600)
            let due = try await dueAfterResync(service, dueAt: later, breaking: SQL(raw: fault))
            #expect(due == service.clock.now)
        }
    }

    @Test("A card that waits for its phone does not make it due, whatever else is wrong")
    func waiting() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let due = try await dueAfterResync(
                service, breaking: "UPDATE cards SET state = 'waiting', reason = 'switched_off'")
            #expect(due == nil)
        }
    }

    @Test("On request every device with an open card becomes due, and no other")
    func all() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.register(try #require(DeviceID(rawValue: "spare")), for: DispatchUnderTest.noor)
            try await service.show(1, of: delivery)
            try await service.reconcile()
            try await service.pool.execute("UPDATE devices SET due_at = NULL")
            try await ActivityRepository.makeAllDue(at: service.clock.now, on: service.pool)
            let due = try await service.pool.query("SELECT device_id FROM devices WHERE due_at IS NOT NULL")
            #expect(try due.map { try $0.decode("device_id", as: String.self) } == ["phone"])
        }
    }

    @Test(
        "Of wanted states what is older than published is lacking, and what would be prolonged shortly before it is stale"
    )
    func lackingIntents() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(2, 3, of: delivery, at: "nordhavn")
            let id = DispatchUnderTest.activity(delivery).rawValue
            func isLacking(
                _ version: Int, _ step: Int, isEnded: Bool = false, isProlonged: Bool = false, at now: Date? = nil
            ) async throws -> Bool {
                let asked = PublishedRevision(
                    id: id, isEnded: isEnded, version: version, step: step, isProlonged: isProlonged)
                let known = PublishedRevision(id: id, version: 0)
                let unknown = PublishedRevision(id: "nobody's-1", version: 1)
                let places = try await ActivityRepository.lacking(
                    [known, unknown, asked], at: now ?? service.clock.now, on: service.pool)
                #expect(places.first == 1)
                return places == [1, 2]
            }
            #expect(!(try await isLacking(2, 3)))
            #expect(!(try await isLacking(2, 2)))
            #expect(!(try await isLacking(1, 9)))
            #expect(try await isLacking(2, 4))
            #expect(try await isLacking(3, 0))
            #expect(try await isLacking(1, 0, isEnded: true))
            // As `show` has it.
            let staleAt = Date(timeIntervalSince1970: 2_000_000_000)
            let (early, soon) = (staleAt.addingTimeInterval(-1_000), staleAt.addingTimeInterval(-800))
            #expect(!(try await isLacking(2, 3, isProlonged: true, at: soon)), "nobody has a card")
            try await service.register()
            #expect(try await isLacking(2, 3, isProlonged: true, at: soon))
            #expect(!(try await isLacking(2, 3, isProlonged: true, at: early)))
            #expect(!(try await isLacking(2, 3, at: soon)))
            #expect(!(try await isLacking(2, 2, isProlonged: true, at: soon)))
            try await service.end(4, of: delivery)
            #expect(!(try await isLacking(9, 9)))
            #expect(!(try await isLacking(4, 0, isEnded: true, isProlonged: true, at: soon)))
            #expect(try await isLacking(5, 0, isEnded: true))
        }
    }

    @Test("A state that was stored without its store is lacking")
    func withoutStore() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(1, of: delivery)
            let asked = PublishedRevision(id: DispatchUnderTest.activity(delivery).rawValue, version: 1)
            #expect(try await ActivityRepository.lacking([asked], at: service.clock.now, on: service.pool) == [0])
        }
    }

    @Test("A state as new as published is lacking where a former episode of its delivery has not ended beside it")
    func formerEpisode() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(1, of: delivery, at: "nordhavn")
            let newest = PublishedRevision(id: DispatchUnderTest.activity(delivery).rawValue, version: 1)
            func lacking() async throws -> [Int] {
                try await ActivityRepository.lacking([newest], at: service.clock.now, on: service.pool)
            }
            #expect(try await lacking() == [])
            try await service.pool.execute(
                """
                INSERT INTO activities (activity_id, customer_id, delivery_id, wanted, is_ended, version, step, wanted_at)
                VALUES (\("\(delivery)-0"), 'mira', \(delivery), '{}', false, 1, 0, \(service.clock.now))
                """)
            #expect(try await lacking() == [0])
            try await service.pool.execute(
                "UPDATE activities SET is_ended = true WHERE activity_id = \("\(delivery)-0")")
            #expect(try await lacking() == [])
        }
    }
}

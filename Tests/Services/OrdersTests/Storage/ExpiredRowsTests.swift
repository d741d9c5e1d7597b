import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("What expires in orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ExpiredRowsTests {
    private func count(_ table: String, _ pool: PostgresPool) async throws -> Int? {
        try await pool.query(SQL(raw: "SELECT count(*) AS n FROM \(table)")).first?.decode("n")
    }

    @Test("An order goes with all that belongs to it 90 days after its last change, and only once all of it has ended")
    func orders() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ended = try await orders.place(client, try orders.body(reference: "G-1")).deliveries
            let open = try await orders.place(client, try orders.body(reference: "G-2")).deliveries
            for delivery in ended { try await orders.set(.cancelled, delivery.id, client) }
            let before = try await count("deliveries", orders.pool)

            let end = OrdersUnderTest.start
            try await ExpiredRows.delete(on: orders.pool, at: end.addingTimeInterval(90 * 86_400))
            let kept = try await count("deliveries", orders.pool)
            #expect(kept == before)
            try await ExpiredRows.delete(on: orders.pool, at: end.addingTimeInterval(90 * 86_400 + 1))
            let left = try await count("orders", orders.pool)
            #expect(left == 1)
            for table in ["deliveries", "timeline"] {
                let rows = try await orders.pool.query(
                    SQL(raw: "SELECT DISTINCT delivery_id FROM \(table) ORDER BY delivery_id"))
                let ids = try rows.map { try $0.decode("delivery_id", as: String.self) }
                #expect(ids == open.map(\.id.rawValue).sorted(), "\(table)")
            }
        }
    }

    @Test("A courier's name, number and links go 90 days after their last delivery, and while they have one they stay")
    func couriers() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ended = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            let live = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            func names(_ table: String) async throws -> [String] {
                try await orders.pool.query(SQL(raw: "SELECT courier_id FROM \(table) ORDER BY courier_id"))
                    .map { try $0.decode("courier_id") }
            }
            try await orders.assign("jonas", ended, client)
            try await orders.assign("mira", live, client)
            // A store describes its own couriers.
            try await orders.pool.execute(
                """
                INSERT INTO store_couriers (store_id, courier_id, snapshot)
                SELECT 'nordhavn', courier_id, snapshot FROM couriers
                """)
            try await orders.set(.cancelled, ended, client)
            let end = OrdersUnderTest.start
            // One whom no delivery names, such as by a revocation of a mistyped id, goes as long after it, and stays
            // where the number is of a version before 0.33.
            try await orders.pool.execute(
                """
                INSERT INTO courier_links (courier_id, number)
                VALUES ('early', 1), ('jonas', 1000000000), ('mira', 1000000000),
                    ('unknown', \(Int(end.timeIntervalSince1970))::integer)
                """)
            try await ExpiredRows.delete(on: orders.pool, at: end.addingTimeInterval(90 * 86_400))
            for table in ["couriers", "store_couriers"] {
                let kept = try await names(table)
                #expect(kept == ["jonas", "mira"], "\(table)")
            }
            #expect(try await names("courier_links") == ["early", "jonas", "mira", "unknown"])
            try await ExpiredRows.delete(on: orders.pool, at: end.addingTimeInterval(90 * 86_400 + 1))
            for table in ["couriers", "store_couriers"] {
                let left = try await names(table)
                #expect(left == ["mira"], "\(table)")
            }
            #expect(try await names("courier_links") == ["early", "mira"])
        }
    }

    @Test("The PIN of an ended delivery goes, and not of one that is reopened meanwhile")
    func pins() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body(bags: 2)
            body.requires = [.pin]
            let placed = try await orders.place(client, body).deliveries.map(\.id)
            for id in placed { try await orders.set(.cancelled, id, client) }
            let reopened = placed[0]
            let deleted = try await orders.pool.withTransaction { transaction in
                _ = try await orders.change(reopened, by: Principal(.operator("ada")), in: transaction) { _ in
                    .override(.accepted, reason: "it goes on")
                }
                return try await orders.pool.withTransaction { other in
                    // A deletion that waits for the reopening, which waits for it here, fails instead.
                    try await other.execute("SET LOCAL lock_timeout = '5s'")
                    return try await other.execute(PINRepository.deleteEnded(rowsMax: 10))
                }
            }
            #expect(deleted == 1)
            let kept = try await orders.pool.query("SELECT delivery_id FROM delivery_pins")
            let ids = try kept.map { try $0.decode("delivery_id", as: String.self) }
            #expect(ids == [reopened.rawValue])
        }
    }

    @Test("A timeline with its reports, and answers to presses, stay whole for a month after their delivery's end")
    func timelines() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: "one",
                kind: "DASHER_CONFIRMED", status: .accepted, occurredAt: nil, receivedAt: OrdersUnderTest.start)
            _ = try await orders.change([.report(report, of: id)])[0].get()
            let link = try await orders.link("leave-at-door", of: id, client)
            #expect(try await orders.send(client, .post, link, as: .customer, "mette").status == .ok)
            /// The kinds of the entries, and the deliveries of the answers.
            func rows() async throws -> [String] {
                try await orders.pool.query(
                    """
                    SELECT kind AS kept FROM timeline UNION ALL SELECT 'answer of ' || delivery_id FROM link_presses
                    ORDER BY kept
                    """
                ).map { try $0.decode("kept") }
            }
            /// What is left of those written so far, all of them a month and a day old.
            func left(at now: Date) async throws -> [String] {
                try await orders.pool.execute("UPDATE timeline SET recorded_at = now() - interval '31 days'")
                try await orders.pool.execute("UPDATE link_presses SET pressed_at = now() - interval '31 days'")
                try await ExpiredRows.delete(on: orders.pool, at: now)
                return try await rows()
            }
            let end = OrdersUnderTest.start
            let live = try await rows()
            #expect(Set(live).isSuperset(of: ["placed", "report", "handoff", "answer of \(id)"]))
            #expect(try await left(at: end) == live)
            try await orders.set(.cancelled, id, client)
            let all = try await rows()
            #expect(try await left(at: end.addingTimeInterval(86_400)) == all)
            #expect(try await left(at: end.addingTimeInterval(30 * 86_400)) == all)
            #expect(try await left(at: end.addingTimeInterval(30 * 86_400 + 1)) == [])
        }
    }

    @Test("A deletion that fails keeps no other row past its time, and its failure is thrown")
    func failedDeletion() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set(.cancelled, id, client)
            try await orders.pool.execute("ALTER TABLE proof_images RENAME TO images_elsewhere")
            let error = await #expect(throws: PostgresError.self) {
                try await ExpiredRows.delete(
                    on: orders.pool, at: OrdersUnderTest.start.addingTimeInterval(91 * 86_400))
            }
            #expect(error?.sqlState == "42P01")
            let left = try await count("orders", orders.pool)
            #expect(left == 0)
        }
    }

    @Test("Images and drop-offs of more than a page of deliveries go, and a process reads each delivery once")
    func pages() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.note = "third floor"
            let id = try await orders.place(client, body).deliveries[0].id
            try await orders.set(.cancelled, id, client)
            try await orders.pool.execute(
                """
                INSERT INTO deliveries (delivery_id, order_id, bag_number, customer_id, store_id, status, courier_status,
                    flags, version, promise_end, snapshot, drop_off, ended_at)
                SELECT gen_random_uuid()::text, order_id, 1 + number, customer_id, store_id, status, courier_status, flags,
                    version, promise_end, snapshot, drop_off, ended_at
                FROM deliveries, generate_series(1, \(2 * EndedDeliveries.pageMax)::integer) AS number
                WHERE delivery_id = \(id.rawValue)
                """)
            let insertion: SQL = """
                INSERT INTO proof_images (delivery_id, content_hash, format, sealed)
                SELECT delivery_id, 'hash', 'png', 'sealed'::bytea FROM deliveries
                """
            try await orders.pool.execute(insertion)
            func left() async throws -> [Int] {
                let row = try await orders.pool.query(
                    """
                    SELECT (SELECT count(*) FROM proof_images) AS images,
                        (SELECT count(*) FROM deliveries WHERE drop_off IS NOT NULL) AS drop_offs
                    """)[0]
                return [try row.decode("images"), try row.decode("drop_offs")]
            }
            let all = 2 * EndedDeliveries.pageMax + 1
            let imaged = EndedDeliveries()
            let end = OrdersUnderTest.start.addingTimeInterval(30 * 86_400)
            try await ExpiredRows.delete(on: orders.pool, at: end, imaged: imaged)
            #expect(try await left() == [all, all])
            let later = end.addingTimeInterval(1)
            try await ExpiredRows.delete(on: orders.pool, at: later, imaged: imaged)
            #expect(try await left() == [0, 0])
            try await orders.pool.execute(insertion)
            try await ExpiredRows.delete(on: orders.pool, at: later, imaged: imaged)
            #expect(try await left() == [all, 0])
            try await ExpiredRows.delete(on: orders.pool, at: later)
            #expect(try await left() == [0, 0])
        }
    }

    @Test("Every reference has an index, so that a deletion scans no table")
    func references() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let references = try await referencesWithoutIndex(orders.pool)
            #expect(references == [])
        }
    }
}

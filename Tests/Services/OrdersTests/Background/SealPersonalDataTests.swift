import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import TextCoding

@testable import Orders

@Suite("Sealing of stored personal data", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SealPersonalDataTests {
    private typealias Sealed = SealedPersonalDataTests

    /// The texts under a key.
    private static func texts(_ key: String, _ orders: OrdersUnderTest) async throws -> Int {
        try await orders.pool.query(
            """
            SELECT count(*) AS count FROM (
                SELECT drop_off #>> '{}' FROM deliveries UNION ALL SELECT snapshot #>> '{courier,phone}' FROM deliveries
                UNION ALL SELECT snapshot #>> '{fetchedFrom,phone}' FROM deliveries
                UNION ALL SELECT snapshot #>> '{proof,claim,courier,phone}' FROM deliveries
                UNION ALL SELECT snapshot->>'phone' FROM couriers UNION ALL SELECT snapshot->>'phone' FROM store_couriers
            ) AS texts (text) WHERE starts_with(text, \("\(key):"))
            """)[0].decode("count")
    }

    @Test("Rows of before are sealed, and sealed anew after a rotation, until the former key is needed no more")
    func rotation() async throws {
        let readable = try Sealed.box([1], sealing: 1, seals: false)
        try await OrdersUnderTest.run(personalData: readable) { orders, client in
            let id = try await Sealed.place(orders, client)
            try await orders.pool.execute(
                """
                INSERT INTO store_couriers (store_id, courier_id, snapshot)
                SELECT 'nordhavn', courier_id, snapshot FROM couriers
                """)
            try await orders.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: orders.pool) == ["deliveries"])
            #expect(
                try await tablesWith("77001122", on: orders.pool) == ["couriers", "deliveries", "store_couriers"])
            #expect(try await Sealed.seal(orders, by: readable) == 0, "without the setting nothing is done")
            #expect(try await tablesWith("canary", on: orders.pool) == ["deliveries"])

            #expect(try await Sealed.seal(orders, by: Sealed.box([1], sealing: 1)) == 0)
            #expect(try await tablesWith("canary", on: orders.pool) == [])
            #expect(try await tablesWith("77001122", on: orders.pool) == [])
            #expect(try await Sealed.delivery(id, orders, client).address?.doorCode == "canary1")
            #expect(try await Self.texts("1", orders) == 4)
            // Without the former key all rows are left, and stay as they are.
            #expect(try await Sealed.seal(orders, by: Sealed.box([2], sealing: 2)) == 4)
            #expect(try await Self.texts("1", orders) == 4)
            #expect(try await Sealed.seal(orders, by: Sealed.box([1, 2], sealing: 2, retired: [1])) == 0)
            #expect(try await Self.texts("1", orders) == 0)
            #expect(try await Self.texts("2", orders) == 4)
            let record = try #require(
                try await OrderRepository.delivery(id, opening: Sealed.box([2], sealing: 2), on: orders.pool))
            #expect(record.dropOff?.note == "canary note")
            let courier = try #require(record.delivery.courier)
            #expect(try Sealed.box([2], sealing: 2).phone(of: courier) == Sealed.number)
        }
    }

    /// A delivery whose goods a courier has, another fetches, and a third has handed over without a proof by the word of
    /// a provider.
    private static func withThreeCouriers(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        let id = try await Sealed.place(orders, client, requiring: [.pin])
        try await orders.set([.accepted, .picking, .staged, .pickedUp], id, client)
        let next = CourierBody(
            id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: "+4577001133")
        let moved = try await orders.send(
            client, .put, "/v1/deliveries/\(id)/courier", as: .store, "nordhavn", AssignBody(courier: .described(next)))
        #expect(moved.status == .ok)
        let third = Courier(
            id: try #require(CourierID(rawValue: "uber-7")), name: "Noor", vehicle: .car, phone: "+4577001144")
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "1", kind: "delivered",
            status: .delivered, courier: third, occurredAt: orders.clock.now, receivedAt: orders.clock.now)
        let delivery = try await orders.change([.report(report, of: id)])[0].get().record.delivery
        #expect(delivery.proof?.claim != nil)
        return id
    }

    @Test("A change of a delivery that was stored readable writes and sends no number of any of its couriers")
    func switchedOn() async throws {
        let keys: [UInt8] = [1]
        try await OrdersUnderTest.run(personalData: Sealed.box(keys, sealing: 1, seals: false)) { orders, client in
            let id = try await Self.withThreeCouriers(orders, client)
            let delivery = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            #expect(delivery.fetchedFrom?.phone == Sealed.number)
            #expect(delivery.proof?.claim?.courier?.phone == "+4577001144")
            // Not even a readable one is in a former version.
            #expect(try await tablesWith("770011", on: orders.pool) == ["couriers", "deliveries", "outbox"])
            try await orders.pool.execute("DELETE FROM outbox")
        }
        let box = try Sealed.box(keys, sealing: 1)
        try await OrdersUnderTest.run(personalData: box) { orders, client in
            let row = try await orders.pool.query("SELECT delivery_id FROM deliveries")[0]
            let id = try #require(DeliveryID(rawValue: try row.decode("delivery_id")))
            let answer = try await ShowVersions(pool: orders.pool)(DeliveryVersionsQuestion(id, 1...99))
            #expect(!answer.changes.isEmpty && answer.changes.allSatisfy { $0.delivery == $0.delivery.withoutNumbers })
            _ = try await orders.change(id, .hold(reason: "rain"), by: Principal(.operator("ada")))
            #expect(try await tablesWith("770011", on: orders.pool) == ["couriers"])
            #expect(try await Sealed.seal(orders, by: box) == 0)
            #expect(try await tablesWith("770011", on: orders.pool) == [])
            let delivery = try #require(try await OrderRepository.delivery(id, opening: box, on: orders.pool)).delivery
            #expect(delivery.fetchedFrom.flatMap(box.phone) == Sealed.number)
            #expect(delivery.proof?.claim?.courier.flatMap(box.phone) == "+4577001144")
        }
    }

    @Test("Every courier of a delivery is sealed where it stands, anew after a rotation, and written back in clear")
    func everyPlace() async throws {
        let readable = try Sealed.box([1, 2], sealing: 2, seals: false)
        try await OrdersUnderTest.run(personalData: readable) { orders, client in
            let id = try await Self.withThreeCouriers(orders, client)
            #expect(try await Sealed.seal(orders, by: Sealed.box([1], sealing: 1)) == 0)
            #expect(try await Self.texts("1", orders) == 6)
            #expect(try await Sealed.seal(orders, by: Sealed.box([1, 2], sealing: 2, retired: [1])) == 0)
            #expect(try await Self.texts("2", orders) == 6)
            #expect(try await Sealed.seal(orders, by: readable) == 0)
            let record = try #require(try await OrderRepository.delivery(id, opening: .readable, on: orders.pool))
            #expect(record.dropOff?.note == "canary note" && record.delivery.courier?.phone == "+4577001133")
            #expect(record.delivery.fetchedFrom?.phone == Sealed.number)
            #expect(record.delivery.proof?.claim?.courier?.phone == "+4577001144")
        }
    }

    @Test("Replicas with different present keys leave each other's rows alone")
    func rolling() async throws {
        let restarted = try Sealed.box([1, 2], sealing: 2, retired: [1])
        let waiting = try Sealed.box([1, 2], sealing: 1)
        try await OrdersUnderTest.run(personalData: waiting) { orders, client in
            _ = try await Sealed.place(orders, client)
            #expect(try await Sealed.seal(orders, by: restarted) == 0)
            #expect(try await Self.texts("2", orders) == 3)
            #expect(try await Sealed.seal(orders, by: waiting) == 0)
            #expect(try await Self.texts("2", orders) == 3)
            // What the waiting one writes meanwhile is counted, and sealed anew.
            _ = try await orders.place(client, Self.body(orders, "G-2"))
            #expect(try await Self.texts("1", orders) == 1)
            #expect(try await Sealed.seal(orders, by: restarted) == 0)
            #expect(try await Self.texts("1", orders) == 0)
        }
    }

    private static func body(_ orders: OrdersUnderTest, _ reference: String) throws -> PlaceOrderBody {
        var body = try orders.body(reference: reference)
        body.note = "canary"
        return body
    }

    @Test("A locked row is counted and sealed later, and one that cannot be read stops no other")
    func left() async throws {
        let box = try Sealed.box([1], sealing: 1)
        try await OrdersUnderTest.run(personalData: Sealed.box([1], sealing: 1, seals: false)) { orders, client in
            let id = try await Sealed.place(orders, client)
            let other = try await orders.place(client, Self.body(orders, "G-2")).deliveries[0].id
            try await orders.pool.withTransaction { transaction in
                try await transaction.execute(
                    "SELECT FROM deliveries WHERE delivery_id = \(id.rawValue) FOR UPDATE")
                #expect(try await Sealed.seal(orders, by: box) == 2)
            }
            #expect(orders.metrics.exposition().contains("doorstep_orders_personal_data_to_seal 2\n"))
            #expect(try await Self.texts("1", orders) == 2)
            try await orders.pool.execute(
                """
                UPDATE deliveries SET drop_off = '{"address": 5}' WHERE delivery_id = \(other.rawValue)
                """)
            try await orders.pool.execute(
                """
                INSERT INTO store_couriers (store_id, courier_id, snapshot) VALUES ('a', 'b', '{"phone": "+4577001122"}')
                """)
            #expect(try await Sealed.seal(orders, by: box) == 2)
            #expect(try await Self.texts("1", orders) == 3)
            #expect(orders.metrics.exposition().contains("doorstep_orders_personal_data_to_seal 2\n"))
        }
    }

    @Test("After a run that left no row, a process reads only the deliveries of orders that changed since")
    func changedSince() async throws {
        let box = try Sealed.box([1], sealing: 1)
        try await OrdersUnderTest.run(personalData: Sealed.box([1], sealing: 1, seals: false)) { orders, client in
            _ = try await orders.place(client, Self.body(orders, "G-1"))
            let changed = try await orders.place(client, Self.body(orders, "G-2")).deliveries[0].id
            let readable: String = try await orders.pool.query("SELECT drop_off #>> '{}' AS text FROM deliveries")[0]
                .decode("text")
            let sealing = Sealed.sealing(orders, by: box)
            #expect(try await sealing.seal() == 0)
            orders.clock.advance(by: SealPersonalData.marginSeconds + 1)
            #expect(try await sealing.seal() == 0)
            #expect(try await Self.texts("1", orders) == 2)

            // No replica of the same settings writes a readable row without a change.
            try await orders.pool.execute("UPDATE deliveries SET drop_off = \(readable)::jsonb")
            _ = try await orders.change(changed, .hold(reason: "rain"), by: Principal(.operator("ada")))
            #expect(try await sealing.seal() == 0)
            let sealed = try await orders.pool.query(
                "SELECT delivery_id FROM deliveries WHERE jsonb_typeof(drop_off) = 'string'"
            ).map { try $0.decode("delivery_id", as: String.self) }
            #expect(sealed == [changed.rawValue])
            #expect(try await Sealed.seal(orders, by: box) == 0)
            #expect(try await Self.texts("1", orders) == 2)
        }
    }

    @Test("A run that left a row reads all rows again")
    func leftRow() async throws {
        let box = try Sealed.box([1], sealing: 1)
        try await OrdersUnderTest.run(personalData: Sealed.box([1], sealing: 1, seals: false)) { orders, client in
            let id = try await orders.place(client, Self.body(orders, "G-1")).deliveries[0].id
            let sealing = Sealed.sealing(orders, by: box)
            try await orders.pool.withTransaction { transaction in
                try await transaction.execute(
                    "SELECT FROM deliveries WHERE delivery_id = \(id.rawValue) FOR UPDATE")
                #expect(try await sealing.seal() == 1)
            }
            orders.clock.advance(by: 2 * SealPersonalData.marginSeconds)
            #expect(try await sealing.seal() == 0)
            #expect(try await Self.texts("1", orders) == 1)
        }
    }

    @Test("More rows than a page are sealed and searched")
    func pages() async throws {
        let box = try Sealed.box([1], sealing: 1)
        try await OrdersUnderTest.run(personalData: Sealed.box([1], sealing: 1, seals: false)) { orders, client in
            let id = try await Sealed.place(orders, client)
            try await orders.pool.execute(
                """
                INSERT INTO deliveries (delivery_id, order_id, bag_number, customer_id, store_id, status, courier_status,
                    flags, version, promise_end, snapshot, drop_off)
                SELECT gen_random_uuid()::text, order_id, 1 + number, customer_id, store_id, status, courier_status, flags,
                    version, promise_end, snapshot, drop_off
                FROM deliveries, generate_series(1, \(2 * SealingRepository.pageMax + 1)::integer) AS number
                WHERE delivery_id = \(id.rawValue)
                """)
            func found() async throws -> Int {
                try await DeliverySearch.sealed(
                    SearchTerm(rawValue: "canary st"), restrictions: FilterRestrictions(), scope: "TRUE",
                    asOf: OrdersUnderTest.start, opening: box, on: orders.pool
                ).count
            }
            #expect(try await found() == 0, "the database searches what is readable")
            #expect(try await Sealed.seal(orders, by: box) == 0)
            #expect(try await tablesWith("canary", on: orders.pool) == [])
            #expect(try await found() == 2 * SealingRepository.pageMax + 2)
        }
    }
}

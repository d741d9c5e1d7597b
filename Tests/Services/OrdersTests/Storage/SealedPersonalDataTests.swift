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

@Suite("Personal data at rest", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SealedPersonalDataTests {
    private static let number = "+4577001122"

    private static func box(_ keys: [UInt8], sealing: UInt8, seals: Bool = true) throws -> PersonalDataBox {
        PersonalDataBox(
            try SecretBox(
                keys: Dictionary(uniqueKeysWithValues: keys.map { ($0, Array(repeating: $0 + 8, count: 32)) }),
                encrypting: sealing), seals: seals)
    }

    /// An order whose drop-off has the canary in each field, with a courier.
    private static func place(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws -> DeliveryID {
        var body = try orders.body()
        body.recipient = Recipient(name: "Canary Holm", phone: "canary +45")
        body.address = Address(
            street: "Canary street 40", floor: "canary", postalCode: "canary", city: "Canary city", doorCode: "canary1")
        body.note = "canary note"
        let id = try await orders.place(client, body, key: "again").deliveries[0].id
        let described = CourierBody(
            id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: number)
        let assigned = try await orders.send(
            client, .put, "/v1/deliveries/\(id)/courier", as: .store, "nordhavn",
            AssignBody(courier: .described(described)))
        #expect(assigned.status == .ok)
        return id
    }

    private static func delivery(
        _ id: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryBody {
        try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .store, "nordhavn").decode()
    }

    private static func correct(
        _ id: DeliveryID, note: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> HTTPResponse.Status {
        try await orders.send(
            client, .patch, "/v1/deliveries/\(id)/drop-off", as: .operator, "ada",
            DropOffBody(note: .text(note), reason: "they called"), ["If-Match": "*"]
        ).status
    }

    private static func seal(_ orders: OrdersUnderTest, by box: PersonalDataBox) async throws -> Int {
        try await SealPersonalData(pool: orders.pool, box: box, metrics: orders.metrics, logger: .silent).seal()
    }

    @Test("No table, message and stored answer has anything of a drop-off or a number, and every reader sees it")
    func canaries() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.place(orders, client)
            #expect(try await Self.correct(id, note: "another canary", orders, client) == .ok)
            let read = try await orders.pool.query("SELECT version FROM deliveries WHERE delivery_id = \(id.rawValue)")
            // The same courier with the same number changes nothing.
            let described = CourierBody(
                id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: Self.number)
            for courier in [AssignBody.Choice.described(described), .known(described.id)] {
                _ = try await orders.send(
                    client, .put, "/v1/deliveries/\(id)/courier", as: .store, "nordhavn", AssignBody(courier: courier))
            }
            let after = try await orders.pool.query("SELECT version FROM deliveries WHERE delivery_id = \(id.rawValue)")
            #expect(try read[0].decode("version", as: Int.self) == after[0].decode("version", as: Int.self))

            let codes: [StatusCode] = [.accepted, .picking, .pickedUp, .enRoute]
            for code in codes { try await orders.set(code, id, client) }
            let seen = try await Self.delivery(id, orders, client)
            #expect(seen.address?.doorCode == "canary1" && seen.note == "another canary")
            let own: DeliveryBody = try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .customer, "mette")
                .decode()
            let link = try #require(own.links.first { $0.verb == "contact-courier" }).url
            let pressed: LinkBody = try await orders.send(
                client, .post, String(link.dropFirst("https://go.nordhavn.example".count)), as: .customer, "mette"
            ).decode()
            #expect(pressed.phone == Self.number)
            try await orders.set(.delivered, id, client)
            #expect(try await tablesWith("canary", on: orders.pool) == [])
            #expect(try await tablesWith("77001122", on: orders.pool) == [])
            #expect(try await !orders.pool.query("SELECT FROM outbox").isEmpty)

            let contacts: ContactsBody = try await orders.send(
                client, .get, "/v1/contacts?ids=\(id)", as: .operator, "ada"
            ).decode()
            #expect(contacts.contacts.first?.courier?.phone == Self.number)
            #expect(contacts.contacts.first?.customer?.phone == "canary +45")
            let timeline: TimelinePageBody = try await orders.send(
                client, .get, "/v1/timeline", as: .operator, "ada"
            ).decode()
            #expect(timeline.rows.contains { $0.street == "Canary street 40" })
        }
    }

    @Test("Rows of before are sealed, and sealed anew after a rotation, until the former key is needed no more")
    func rotation() async throws {
        let readable = try Self.box([1], sealing: 1, seals: false)
        try await OrdersUnderTest.run(personalData: readable) { orders, client in
            let id = try await Self.place(orders, client)
            try await orders.pool.execute(
                """
                INSERT INTO store_couriers (store_id, courier_id, snapshot)
                SELECT 'nordhavn', courier_id, snapshot FROM couriers
                """)
            try await orders.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: orders.pool) == ["deliveries"])
            #expect(
                try await tablesWith("77001122", on: orders.pool) == ["couriers", "deliveries", "store_couriers"])
            #expect(try await Self.seal(orders, by: readable) == 0, "without the setting nothing is done")
            #expect(try await tablesWith("canary", on: orders.pool) == ["deliveries"])

            #expect(try await Self.seal(orders, by: Self.box([1], sealing: 1)) == 0)
            #expect(try await tablesWith("canary", on: orders.pool) == [])
            #expect(try await tablesWith("77001122", on: orders.pool) == [])
            #expect(try await Self.delivery(id, orders, client).address?.doorCode == "canary1")
            func rows(_ key: String) async throws -> Int {
                try await orders.pool.query(
                    """
                    SELECT (SELECT count(*) FROM deliveries WHERE starts_with(drop_off #>> '{}', \(key)))
                        + (SELECT count(*) FROM deliveries WHERE starts_with(snapshot #>> '{courier,phone}', \(key)))
                        + (SELECT count(*) FROM couriers WHERE starts_with(snapshot->>'phone', \(key)))
                        + (SELECT count(*) FROM store_couriers WHERE starts_with(snapshot->>'phone', \(key))) AS count
                    """)[0].decode("count")
            }
            #expect(try await rows("1:") == 4)
            // Without the former key all rows are left, and stay as they are.
            #expect(try await Self.seal(orders, by: Self.box([2], sealing: 2)) == 4)
            #expect(try await rows("1:") == 4)
            #expect(try await Self.seal(orders, by: Self.box([1, 2], sealing: 2)) == 0)
            #expect(try await rows("1:") == 0)
            #expect(try await rows("2:") == 4)
            let record = try #require(
                try await OrderRepository.delivery(id, opening: Self.box([2], sealing: 2), on: orders.pool))
            #expect(record.dropOff?.note == "canary note")
            let courier = try #require(record.delivery.courier)
            #expect(try Self.box([2], sealing: 2).phone(of: courier) == Self.number)
        }
    }

    @Test("A delivery whose key is lost goes on without its drop-off, and a correction does not replace what is there")
    func lostKey() async throws {
        try await OrdersUnderTest.run(personalData: try Self.box([1], sealing: 1)) { orders, client in
            _ = try await Self.place(orders, client)
        }
        try await OrdersUnderTest.run(personalData: try Self.box([2], sealing: 2)) { orders, client in
            let row = try await orders.pool.query("SELECT delivery_id, drop_off FROM deliveries")[0]
            let id = try #require(DeliveryID(rawValue: try row.decode("delivery_id")))
            try await orders.set(.accepted, id, client)
            #expect(try await Self.delivery(id, orders, client).address == nil)
            let board = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada")
            #expect(try board.decode(BoardBody.self).deliveries.map(\.id) == [id])
            #expect(try await Self.correct(id, note: "left", orders, client) == .conflict)
            let after = try await orders.pool.query("SELECT drop_off FROM deliveries")[0]
            #expect(try after.decode("drop_off", as: String.self) == row.decode("drop_off", as: String.self))
        }
    }

    @Test("A drop-off in another delivery's row is not shown there")
    func exchanged() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.place(orders, client)
            let other = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            try await orders.pool.execute(
                """
                UPDATE deliveries SET drop_off = (
                    SELECT drop_off FROM deliveries WHERE delivery_id = \(id.rawValue)
                ) WHERE delivery_id = \(other.rawValue)
                """)
            #expect(try await Self.delivery(other, orders, client).address == nil)
            #expect(try await Self.delivery(id, orders, client).address?.street == "Canary street 40")
        }
    }
}

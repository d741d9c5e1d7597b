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

@Suite("Personal data at rest", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SealedPersonalDataTests {
    static let number = "+4577001122"

    static func box(
        _ keys: [UInt8], sealing: UInt8, seals: Bool = true, retired: Set<UInt8> = []
    ) throws -> PersonalDataBox {
        PersonalDataBox(
            try SecretBox(
                keys: Dictionary(uniqueKeysWithValues: keys.map { ($0, Array(repeating: $0 + 8, count: 32)) }),
                encrypting: sealing), seals: seals, retired: retired)
    }

    /// An order whose drop-off has the canary in each field, with a courier.
    static func place(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, requiring proofs: [ProofKind]? = nil,
        corrections: CorrectionLimits? = nil
    ) async throws -> DeliveryID {
        var body = try orders.body(corrections: corrections)
        body.requires = proofs
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

    static func delivery(
        _ id: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryBody {
        try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .store, "nordhavn").decode()
    }

    static func correct(
        _ id: DeliveryID, note: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> HTTPResponse.Status {
        try await orders.send(
            client, .patch, "/v1/deliveries/\(id)/drop-off", as: .operator, "ada",
            DropOffBody(note: .text(note), reason: "they called"), ["If-Match": "*"]
        ).status
    }

    static func seal(_ orders: OrdersUnderTest, by box: PersonalDataBox) async throws -> Int {
        try await sealing(orders, by: box).seal()
    }

    /// The sealing of one process.
    static func sealing(_ orders: OrdersUnderTest, by box: PersonalDataBox) -> SealPersonalData {
        SealPersonalData(
            pool: orders.pool, clock: orders.clock.domain, box: box, metrics: orders.metrics, logger: .silent)
    }

    @Test("No table, message and stored answer has anything of a drop-off or a number, and every reader sees it")
    func canaries() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.place(orders, client)
            #expect(try await Self.correct(id, note: "another canary", orders, client) == .ok)
            let read = try await orders.pool.query("SELECT version FROM deliveries WHERE delivery_id = \(id.rawValue)")
            let written: String = try await orders.pool.query("SELECT xmin::text FROM couriers")[0].decode("xmin")
            // The same courier with the same number changes nothing.
            let described = CourierBody(
                id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: Self.number)
            for courier in [AssignBody.Choice.described(described), .known(described.id)] {
                _ = try await orders.send(
                    client, .put, "/v1/deliveries/\(id)/courier", as: .store, "nordhavn", AssignBody(courier: courier))
            }
            let after = try await orders.pool.query("SELECT version FROM deliveries WHERE delivery_id = \(id.rawValue)")
            #expect(try await orders.pool.query("SELECT xmin::text FROM couriers")[0].decode("xmin") == written)
            #expect(try read[0].decode("version", as: Int.self) == after[0].decode("version", as: Int.self))

            try await orders.set([.accepted, .picking, .pickedUp, .enRoute], id, client)
            let seen = try await Self.delivery(id, orders, client)
            #expect(seen.address?.doorCode == "canary1" && seen.note == "another canary")
            let link = try await orders.link("contact-courier", of: id, client)
            let pressed: LinkBody = try await orders.send(client, .post, link, as: .customer, "mette").decode()
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

    @Test("A delivery whose key is lost goes on without its drop-off, and a correction does not replace what is there")
    func lostKey() async throws {
        try await OrdersUnderTest.run(personalData: try Self.box([1], sealing: 1)) { orders, client in
            _ = try await Self.place(orders, client, corrections: CorrectionLimits(byCustomer: [.note]))
        }
        try await OrdersUnderTest.run(personalData: try Self.box([2], sealing: 2)) { orders, client in
            let row = try await orders.pool.query("SELECT delivery_id, drop_off FROM deliveries")[0]
            let id = try #require(DeliveryID(rawValue: try row.decode("delivery_id")))
            try await orders.set(.accepted, id, client)
            #expect(try await Self.delivery(id, orders, client).address == nil)
            let board = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada")
            #expect(try board.decode(BoardBody.self).deliveries.map(\.id) == [id])
            #expect(try await Self.correct(id, note: "left", orders, client) == .conflict)
            let delivery = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            await #expect(throws: CorrectFromPage.Refusal.notPossible) {
                try await CorrectFromPage(change: orders.change)(.note, [.note: "left"], of: delivery, seen: nil)
            }
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

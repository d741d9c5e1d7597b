import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("The list of couriers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierListTests {
    private func list(
        _ query: String, _ headers: HTTPFields, _ client: any TestClientProtocol
    ) async throws -> CouriersBody {
        let response = try await client.execute(uri: "/v1/couriers\(query)", method: .get, headers: headers)
        return try WireJSON.decode(CouriersBody.self, from: Data(response.body.readableBytesView))
    }

    /// A delivery of another store, with this courier's name there.
    private func delivery(of store: String, courier: Courier) throws -> Delivery {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: DeliveryID(UUID()), order: sample.order, reference: "V-1", customer: sample.customer,
            store: Store(
                id: try #require(StoreID(rawValue: store)), name: store.capitalized, location: sample.store.location,
                timeZone: sample.store.timeZone),
            bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff, items: sample.items,
            placedAt: sample.placedAt)
        try delivery.change(.courier(courier), at: 10)
        return delivery
    }

    @Test("Who is enrolled, seen or was assigned is listed, with name, phones, duty and load")
    func rows() async throws {
        try await Port.run { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            try await harness.learnDelivery(in: .assigned)
            _ = try await port.enrol("mira", client)
            _ = try await port.enrol("olaf", client)
            let operators = try await port.token(.operator, "ada")
            let olaf = CouriersBody.Row(
                courier: try #require(CourierID(rawValue: "olaf")), name: nil, phones: 1, lastSeenAt: nil,
                onDuty: false, deliveries: 0, isSilent: false)
            let all = try await list("", operators, client)
            #expect(
                all.couriers == [
                    .init(
                        courier: mira.id, name: "Mira", phones: 1, lastSeenAt: nil, onDuty: true, deliveries: 2,
                        isSilent: false),
                    olaf,
                ])
            #expect(try await list("?courier=olaf", operators, client).couriers == [olaf])
            #expect(try await list("?courier=typo1", operators, client).couriers == [])
            let first = try await list("?limit=1", operators, client)
            #expect(first.couriers.map(\.courier) == [mira.id] && first.next == mira.id)
            let rest = try await list("?limit=1&after=mira", operators, client)
            #expect(rest.couriers == [olaf] && rest.next == nil)
        }
    }

    @Test("A token of one store reads of a courier what that store's deliveries tell, and of no other courier")
    func scope() async throws {
        try await Port.run { harness, port, client in
            for _ in 0..<2 { try await harness.learnDelivery(in: .enRoute) }
            let valbys = Courier(id: mira.id, name: "Mira of Valby", vehicle: .car, phone: nil)
            try await harness.parts.applyDeliveryChange(
                try delivery(of: "valby", courier: valbys).changed(at: 10))
            try await harness.parts.applyDeliveryChange(try delivery(of: "valby", courier: noah).changed(at: 10))
            let nordhavn = try await port.token(.store, "shop", store: "nordhavn")
            let seen = try await list("", nordhavn, client)
            #expect(seen.couriers.map(\.courier) == [mira.id])
            #expect(seen.couriers.first?.name == "Mira" && seen.couriers.first?.deliveries == 2)
            let first = try await list("?limit=1", nordhavn, client)
            #expect(first.couriers == seen.couriers && first.next == nil)
            let whole = try await list("", try await port.token(.store, "shop"), client)
            #expect(whole.couriers.map(\.deliveries) == [3, 1] && whole.couriers.first?.name == "Mira of Valby")
        }
    }

    @Test("The list reads deliveries by their couriers", arguments: ["nordhavn", nil])
    func plan(store: String?) async throws {
        try await Harness.run { harness in
            let statement = CourierListRepository.statement(
                of: store.flatMap(StoreID.init(rawValue:)), asShop: true, only: nil, after: nil, limit: 101,
                at: seconds(0))
            try await harness.pool.withTransaction { transaction in
                // On a small table the planner reads it from end to end unless that costs more than any index.
                try await transaction.execute("SET LOCAL enable_seqscan = off")
                let plan = try await transaction.query("EXPLAIN \(sql: statement)").map {
                    try $0.decode("QUERY PLAN", as: String.self)
                }
                #expect(!plan.contains { $0.contains("Seq Scan on deliveries") }, "\(plan.joined(separator: "\n"))")
            }
        }
    }

    @Test("A courier of a provider without ids is listed while the delivery is live, and is known afterwards")
    func ofOneDelivery() async throws {
        try await Port.run { harness, port, client in
            let id = try #require(CourierID(rawValue: "uber-of-one-\(String(repeating: "0a", count: 16))"))
            var ridden = try delivery(of: "valby", courier: Courier(id: id, name: "Sam", vehicle: .car, phone: nil))
            try await harness.parts.applyDeliveryChange(ridden.changed(at: 10))
            let operators = try await port.token(.operator, "ada")
            #expect(try await list("", operators, client).couriers.map(\.courier) == [id])
            try ridden.change(.status(.cancelled, reason: nil), at: 20)
            try await harness.parts.applyDeliveryChange(ridden.changed(at: 20))
            #expect(try await list("", operators, client).couriers.isEmpty)
            #expect(try await list("?courier=\(id)", operators, client).couriers.map(\.courier) == [id])
        }
    }

    @Test("A store reads neither duty nor phones of a courier who has none of its deliveries now")
    func between() async throws {
        try await Port.run { harness, port, client in
            var own = try Delivery.sample(in: .atDoor, at: 10)
            try await harness.parts.applyDeliveryChange(own.changed(at: 10))
            let courier = Courier(id: mira.id, name: "Mira", vehicle: .bicycle, phone: nil)
            try await harness.parts.applyDeliveryChange(try delivery(of: "valby", courier: courier).changed(at: 10))
            let phone = try await port.enrol("mira", client)
            harness.move(to: 100)
            let fix = #"{"fixes":[{"time":\#(seconds(95).timeIntervalSince1970),"latitude":55.7,"longitude":12.6}]}"#
            let sent = try await client.execute(
                uri: "/v1/fixes", method: .post, headers: [.authorization: "Bearer \(phone.token)"],
                body: ByteBuffer(string: fix))
            #expect(sent.status == .ok)
            let nordhavn = try await port.token(.store, "shop", store: "nordhavn")
            func row(_ headers: HTTPFields) async throws -> CouriersBody.Row {
                try #require(try await list("", headers, client).couriers.first)
            }
            let during = try await row(nordhavn)
            #expect(during.onDuty && during.lastSeenAt == seconds(100))

            try own.change(.status(.delivered, reason: nil), at: 110)
            try await harness.parts.applyDeliveryChange(own.changed(at: 110))
            harness.move(to: 120)
            let after = try await row(nordhavn)
            #expect(!after.onDuty && after.lastSeenAt == nil && after.phones == 1)
            for store in [nil, "nordhavn"] {
                let operators = try await row(try await port.token(.operator, "ada", store: store))
                #expect(operators.lastSeenAt == seconds(100) && operators.onDuty == (store == nil))
            }
        }
    }
}

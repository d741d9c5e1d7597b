import DomainTime
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

@testable import Orders

@Suite("PINs that are kept with deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct KeptPINTests {
    private static let ada = Principal(.operator("ada"))

    private static func sealed(_ id: DeliveryID, _ orders: OrdersUnderTest) async throws -> String {
        let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
        return try #require(record.pin)
    }

    @Test("A change that waited while its delivery was reopened has the PIN of now")
    func reopenedMeanwhile() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.requires = [.pin]
            let id = try await orders.place(client, body).deliveries[0].id
            try await orders.set([.accepted, .picking, .staged], id, client)
            try await orders.assign("mira", id, client)
            try await orders.set([.pickedUp, .enRoute, .atDoor], id, client)
            let former = try await Self.sealed(id, orders)
            _ = try await orders.change(id, .override(.delivered, reason: "called"), by: Self.ada)
            let change = orders.change
            let holding = try await orders.pool.withTransaction { transaction in
                let reopened = try await change(id, by: Self.ada, in: transaction) { _ in
                    .override(.atDoor, reason: "the wrong door")
                }
                #expect(reopened.hasChanged)
                // Awaited below, after this transaction has committed.
                let holding = Task { try await change(id, .hold(reason: "the shop asks"), by: Self.ada) }
                let waiting: SQL =
                    "SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"
                while try await transaction.query(waiting).isEmpty { await Task.yield() }
                return holding
            }
            let held = try await holding.value.record
            let present = try await Self.sealed(id, orders)
            #expect(held.delivery.flags.contains(.onHold) && held.pin == present && present != former)
            let published = try #require(try await orders.snapshots(of: id).last?.message.pin)
            let pins = try OrdersUnderTest.pins
            #expect(pins.open(published, of: id) == pins.open(present, of: id))
        }
    }

    @Test("An item that leaves the bag and comes back has the PIN that its customer knows")
    func itemComesBack() async throws {
        let rules = try #require(ProofRules("*/alcohol=pin"))
        try await OrdersUnderTest.run(proofRules: rules) { orders, client in
            var body = try orders.body()
            body.deliveries[0].items[0].class = "alcohol"
            let id = try await orders.place(client, body).deliveries[0].id
            try await orders.set([.accepted, .picking], id, client)
            let former = try await Self.sealed(id, orders)
            for status in [ItemStatus.outOfStock, .found] {
                let answer = try await orders.send(
                    client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                    ItemBody(status: status))
                #expect(answer.status == .ok)
            }
            let present = try await Self.sealed(id, orders)
            #expect(present == former)
        }
    }

    @Test("Where no PIN can be made an order may ask for one in the former way, and may not require one")
    func without() async throws {
        try await OrdersUnderTest.run(makesPINs: false) { orders, client in
            var body = try orders.body()
            body.handoff = Handoff(method: .handToCustomer, verification: .pin)
            let placed = try await orders.place(client, body).deliveries[0]
            #expect(placed.proofs == nil)
            try await orders.set([.accepted, .picking, .staged], placed.id, client)
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.pickedUp, .delivered], placed.id, client)
            var requiring = try orders.body(reference: "G-1043")
            requiring.requires = [.pin]
            let refused = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", requiring, ["Idempotency-Key": "requiring"])
            #expect(refused.status == .badRequest)
            #expect(try refused.problem().errors?.map(\.path) == ["requires"])
        }
    }

    @Test("Where one can be made, an order that asks for it in the former way is held to it")
    func with() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.handoff = Handoff(method: .handToCustomer, verification: .pin)
            let placed = try await orders.place(client, body).deliveries[0]
            #expect(placed.proofs?.map(\.kind) == [.pin])
        }
    }
}

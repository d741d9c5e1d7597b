import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite(
    "Versions of a delivery for a reader that missed them", .tags(.integration), .postgresSchema,
    .timeLimit(.minutes(5)))
struct ShowVersionsTests {
    /// What was published of a delivery, by its versions.
    private func published(_ id: DeliveryID, _ orders: OrdersUnderTest) async throws -> [DeliveryChanged] {
        try await orders.snapshots(of: id).map(\.message).sorted { $0.delivery.version < $1.delivery.version }
    }

    private func ask(
        _ orders: OrdersUnderTest, _ id: DeliveryID, _ versions: ClosedRange<Int>
    ) async throws -> DeliveryVersions {
        try await ShowVersions(pool: orders.pool)(DeliveryVersionsQuestion(id, versions))
    }

    @Test("Each is as it was published, but for its links and couriers' numbers")
    func asPublished() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            _ = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk")))
            try await orders.assign("mira", id, client)
            _ = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/drop-off", as: .store, "nordhavn",
                DropOffBody(note: .text("by the lift")))
            _ = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/items", as: .store, "nordhavn", AddItemsBody.example)
            _ = try await orders.change(id, .hold(reason: "rain"), by: Principal(.operator("ada")))
            try await orders.set([.staged, .pickedUp, .delivered], id, client)
            let published = try await published(id, orders)
            #expect(published.count >= 10)
            let answer = try await ask(orders, id, 1...published.count)
            #expect(answer.fault == nil && !answer.isCut && answer.changes.count == published.count)
            for (one, other) in zip(answer.changes, published) {
                #expect(one.delivery == other.delivery.withoutNumbers && one.changedAt == other.changedAt)
                #expect(one.cause == other.cause && one.reached == other.reached && one.links.isEmpty)
            }
            let some = try await ask(orders, id, 3...5)
            #expect(some.changes.map(\.delivery.version) == [3, 4, 5])
            let beyond = try await ask(orders, id, published.count...published.count + 9)
            #expect(beyond.changes.map(\.delivery.version) == [published.count])
        }
    }

    @Test("Providers' reports are versions too, however many of them changed nothing")
    func reports() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            for (number, status) in [StatusCode.pickedUp, .assigned, .delivered].enumerated() {
                let report = ProviderReport(
                    source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: "\(number)",
                    kind: status.rawValue, status: status, occurredAt: orders.clock.now, receivedAt: orders.clock.now)
                for outcome in await orders.change([.report(report, of: id)]) { _ = try outcome.get() }
            }
            let published = try await published(id, orders)
            let answer = try await ask(orders, id, 1...published.count)
            #expect(answer.changes.map(\.delivery) == published.map(\.delivery))
            #expect(answer.changes.map(\.reached) == published.map(\.reached))
        }
    }

    @Test("Before a row of an earlier release nothing is known, and what is no question is refused")
    func unknown() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking, .staged], id, client)
            try await orders.pool.execute("UPDATE timeline SET reversal = NULL WHERE version = 2")
            #expect(try await ask(orders, id, 1...4).changes.map(\.delivery.version) == [3, 4])
            #expect(try await ask(orders, id, 9...12).changes.isEmpty)
            let nobody = try #require(DeliveryID(rawValue: UUID().uuidString.lowercased()))
            #expect(try await ask(orders, nobody, 1...4).changes.isEmpty)
            #expect(try await ShowVersions(pool: orders.pool)(nil).fault != nil)
            let wrong = try WireJSON.decode(
                DeliveryVersionsQuestion.self,
                from: Data(#"{"schema":1,"delivery":"\#(id)","first":5,"last":2}"#.utf8))
            #expect(try await ShowVersions(pool: orders.pool)(wrong).fault != nil)
            #expect(DeliveryVersionsQuestion(id, 1...5_000).versions == 4_001...5_000)
        }
    }
}

import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Reports about items", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ItemReportsTests {
    private static func report(
        _ body: ItemBody, of delivery: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await orders.send(
            client, .patch, "/v1/deliveries/\(delivery)/items/milk", as: .store, "nordhavn", body)
    }

    private static func pick(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws -> DeliveryID {
        let delivery = try await orders.place(client, try orders.body()).deliveries[0].id
        try await orders.set([.accepted, .picking], delivery, client)
        return delivery
    }

    @Test("What contradicts the item's status is refused, and is not dropped")
    func contradictions() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.pick(orders, client)
            let oats = ItemBody.SubstituteBody(name: "Oat milk")
            for (body, path) in [
                (ItemBody(status: .outOfStock, quantity: 1), "quantity"),
                (ItemBody(status: .refunded, quantity: 1), "quantity"),
                (ItemBody(status: .removed, quantity: 1000), "quantity"),
                (ItemBody(status: .substituted, quantity: 1, substitute: oats), "quantity"),
                (ItemBody(status: .found, substitute: oats), "substitute"),
                (ItemBody(status: .outOfStock, substitute: oats), "substitute"),
                (ItemBody(status: .removed, substitute: oats), "substitute"),
                (ItemBody(status: .substituted, substitute: oats, answerSeconds: 60), "answerSeconds"),
                (
                    ItemBody(status: .substituted, substitute: .init(name: "Oat milk", quantity: 0)),
                    "substitute.quantity"
                ),
            ] {
                let refused = try await Self.report(body, of: delivery, orders, client)
                #expect(refused.status == .badRequest)
                #expect(try refused.problem().errors?.map(\.path) == [path])
            }
            for body in [
                ItemBody(status: .substituted, quantity: 2, substitute: oats),
                ItemBody(status: .outOfStock, quantity: 0), ItemBody(status: .removed, quantity: 0),
            ] {
                #expect(try await Self.report(body, of: delivery, orders, client).status == .ok)
            }
        }
    }

    @Test("A substitute that is named again has the number and the price that were agreed; another one has its own")
    func agreedSubstitute() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.pick(orders, client)
            func milk(after body: ItemBody) async throws -> Item {
                #expect(try await Self.report(body, of: delivery, orders, client).status == .ok)
                let stored = try await OrderRepository.delivery(delivery, on: orders.pool)
                return try #require(stored?.delivery.items.first { $0.id.rawValue == "milk" })
            }
            let agreed = Substitute(name: "Oat milk", quantity: 1, priceDifferenceMinorUnits: 450)
            let proposed = try await milk(
                after: ItemBody(
                    status: .substituteProposed,
                    substitute: .init(name: "Oat milk", quantity: 1, priceDifferenceMinorUnits: 450)))
            #expect(proposed.substitute == agreed && proposed.proposals == 1)
            let again = try await milk(
                after: ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk")))
            #expect(again.substitute == agreed && again.proposals == 1)
            let packed = try await milk(after: ItemBody(status: .substituted, substitute: .init(name: "Oat milk")))
            #expect(packed.substitute == agreed && packed.status == .substituted)
            let other = try await milk(after: ItemBody(status: .substituted, substitute: .init(name: "Soy milk")))
            #expect(
                other.substitute
                    == Substitute(name: "Soy milk", quantity: other.quantity, priceDifferenceMinorUnits: 0))
        }
    }
}

import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Pages of pressed and overtaken links", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct PressedPageTests {
    /// A delivery in picking.
    private struct Picked {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let id: DeliveryID

        func propose(_ substitute: String) async throws {
            let answer = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: substitute)))
            #expect(answer.status == .ok)
        }

        func link(_ verb: String) async throws -> String { try await orders.link(verb, of: id, client) }

        func press(_ link: String) async throws {
            let answer = try await orders.send(client, .post, link, as: .customer, "mette")
            #expect(answer.status == .ok)
        }

        func page(_ link: String) async throws -> String {
            let answer = try await orders.send(
                client, .get, link, as: nil, "", NoBody?.none, ["Accept": "text/html"])
            return String(buffer: answer.body)
        }
    }

    private func withDelivery(_ body: @escaping @Sendable (Picked) async throws -> Void) async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.set([.accepted, .picking], placed.id, client)
            try await body(Picked(orders: orders, client: client, id: placed.id))
        }
    }

    @Test("An approval is stated with the pieces that come, until the store asks about another substitute")
    func approved() async throws {
        try await withDelivery { delivery in
            try await delivery.propose("Oat milk")
            let approval = try await delivery.link("approve-substitution")
            let refusal = try await delivery.link("refuse-substitution")
            let asked = try await delivery.page(approval)
            #expect(asked.contains("<bdi>Take 2 × Oat milk instead of Milk?</bdi></h2>"))
            try await delivery.press(approval)
            let pressed = try await delivery.page(approval)
            #expect(pressed.contains("<bdi>2 × Oat milk comes instead of Milk</bdi></h2>"))
            try await delivery.propose("Soy milk")
            let askedAgain = try await delivery.page(approval)
            #expect(!askedAgain.contains("id=\"press\"") && askedAgain.contains("Take 2 × Soy milk instead of Milk?"))
            let old = try await delivery.page(refusal)
            #expect(old.contains("<bdi>Refuse the substitute and get the item refunded?</bdi></h2>"))
            #expect(old.contains("This question is no longer open."))
        }
    }

    @Test("A cancellation is stated until a supervisor reopens the delivery")
    func cancelled() async throws {
        try await withDelivery { delivery in
            let cancel = try await delivery.link("cancel")
            try await delivery.press(cancel)
            let pressed = try await delivery.page(cancel)
            #expect(pressed.contains("<bdi>The delivery is cancelled.</bdi></h2>"))
            let reopening = DeliveryChange.override(.accepted, reason: "it goes on")
            _ = try await delivery.orders.change(delivery.id, reopening, by: Principal(.operator("ada")))
            let reopened = try await delivery.page(cancel)
            #expect(!reopened.contains("id=\"press\"") && !reopened.contains("The delivery is cancelled."))
        }
    }
}

import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import Testing

@testable import Orders

/// A customer with a canary in every text of their order, and requests about their export.
enum ExportedCustomer {
    static let id = "canary-customer"

    /// An order with a canary in every text that its customer gave or is shown.
    static func body(_ orders: OrdersUnderTest) throws -> PlaceOrderBody {
        var body = try orders.body(customer: id, reference: "CANARY-1042")
        body.recipient = Recipient(name: "Canary Holm", phone: "canary +45")
        body.address = Address(
            street: "Canary street 40", floor: "canary floor", postalCode: "canary-2100", city: "Canary city",
            doorCode: "canary-code")
        body.note = "canary <script>note</script>"
        body.language = "da"
        body.deliveries[0].barcode = "canary-barcode"
        body.deliveries[0].items[0].name = "Canary milk"
        return body
    }

    static let texts = [
        id, "CANARY-1042", "Canary Holm", "canary +45", "Canary street 40", "canary floor", "canary-2100",
        "Canary city", "canary-code", "canary <script>note</script>", "canary-barcode", "Canary milk", "Canary oats",
    ]

    /// Places the order and brings it to its door, with an answer of the customer on the way.
    static func delivered(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> OrderBody {
        let order = try await orders.place(client, try body(orders))
        let delivery = order.deliveries[0].id
        let path = "/v1/deliveries/\(delivery)"
        try await orders.set([.accepted, .picking], delivery, client)
        let proposed = try await orders.send(
            client, .patch, "\(path)/items/milk", as: .store, "nordhavn",
            ItemBody(status: .substituteProposed, substitute: .init(name: "Canary oats", quantity: 2)))
        #expect(proposed.status == .ok)
        let link = try await orders.link("approve-substitution", of: delivery, to: id, client)
        let pressed = try await orders.send(client, .post, link, as: .customer, id)
        #expect(pressed.status == .ok)
        _ = try await orders.send(
            client, .put, "\(path)/hold", as: .operator, "adalovelace", HoldBody(reason: "staff secret"))
        _ = try await orders.send(
            client, .delete, "\(path)/hold", as: .operator, "adalovelace", HoldBody(reason: "staff secret"))
        try await orders.assign("jonas", delivery, client)
        try await orders.set([.pickedUp, .enRoute, .atDoor, .delivered], delivery, client)
        _ = try await orders.send(
            client, .put, "\(path)/feedback", as: .customer, id, GiveFeedbackBody(kind: .allRight))
        return order
    }

    static func request(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, store: String? = nil, customer: String = id
    ) async throws -> TestResponse {
        let token = try await orders.token(store == nil ? .operator : .store, store ?? "ada", store: store)
        return try await orders.send(client, .post, "/v1/customers/\(customer)/export", token: token)
    }

    static func archive(
        _ id: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, format: String = "json"
    ) async throws -> TestResponse {
        try await orders.send(
            client, .get, "/v1/person-requests/\(id)/archive?format=\(format)", as: .operator, "ada")
    }

    static func status(
        _ id: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> PersonRequestBody {
        try await orders.send(client, .get, "/v1/person-requests/\(id)", as: .operator, "ada").decode()
    }
}

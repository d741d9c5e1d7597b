import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import Testing

@testable import Orders

/// A courier with a text of their own in everything that is stored of them, and requests about their export.
enum ExportedCourier {
    static let id = "rider-jonas"
    static let phone = "+4599887766"
    static let reason = "rider rang twice"
    static let texts = [id, "Rider Holm", phone, "Rider at Nordhavn", reason, "attempted"]

    static func assign(
        _ delivery: DeliveryID, to courier: String = id, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws {
        let isRider = courier == id
        let body = CourierBody(
            id: try #require(CourierID(rawValue: courier)), name: isRider ? "Rider Holm" : "Other Rider",
            vehicle: .car, phone: isRider ? phone : "+4511111111")
        let response = try await orders.send(
            client, .put, "/v1/deliveries/\(delivery)/courier", as: .store, "nordhavn",
            AssignBody(courier: .described(body)))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
    }

    static func move(
        _ delivery: DeliveryID, to code: StatusCode, reason: String? = nil, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol
    ) async throws {
        let moved = try await orders.send(
            client, .post, "/v1/deliveries/\(delivery)/status", as: .courier, id,
            StatusBody(status: code, reason: reason))
        #expect(moved.status == .ok, "\(String(buffer: moved.body))")
    }

    static func place(
        _ reference: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        var body = try ExportedCustomer.body(orders)
        body.reference = reference
        let delivery = try await orders.place(client, body).deliveries[0].id
        try await orders.set([.accepted, .picking], delivery, client)
        return delivery
    }

    /// A delivery that the courier handed over, and one that another courier has since.
    static func rode(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> (own: DeliveryID, former: DeliveryID) {
        let own = try await place("CANARY-1042", orders, client)
        try await assign(own, orders, client)
        for code in [StatusCode.pickedUp, .enRoute, .atDoor] { try await move(own, to: code, orders, client) }
        try await move(own, to: .attempted, reason: reason, orders, client)
        try await orders.set([.atDoor, .delivered], own, client)
        let given = try await orders.send(
            client, .put, "/v1/deliveries/\(own)/feedback", as: .customer, ExportedCustomer.id,
            GiveFeedbackBody(kind: .allRight))
        #expect(given.status == .ok)
        let former = try await place("CANARY-1043", orders, client)
        try await assign(former, orders, client)
        try await move(former, to: .pickedUp, orders, client)
        try await assign(former, to: "other-rider", orders, client)
        let described = Courier(
            id: try #require(CourierID(rawValue: id)), name: "Rider at Nordhavn", vehicle: .bicycle, phone: phone)
        try await orders.pool.batch([
            """
            INSERT INTO courier_presses (press_id, courier_id, delivery_id, action, state, pressed_at, due_at)
            VALUES (gen_random_uuid(), \(id), \(own.rawValue), 'delivered', 'done', \(orders.clock.now),
                \(orders.clock.now))
            """,
            """
            INSERT INTO store_couriers (store_id, courier_id, snapshot)
            VALUES ('nordhavn', \(id), \(try OrderRepository.json(OrdersUnderTest.personalData.written(described)))::jsonb)
            """,
        ])
        return (own, former)
    }

    static func request(
        of courier: String = id, by store: String? = nil, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        let token = try await orders.token(store == nil ? .operator : .store, store ?? "ada", store: store)
        return try await orders.send(client, .post, "/v1/couriers/\(courier)/export", token: token)
    }

    /// The lists of a courier's archive, of those that `orders` fills.
    struct Archive: Decodable {
        struct Person: Decodable { let courier: String }
        struct Description: Decodable { let name: String }
        struct OfDelivery: Decodable { let delivery: DeliveryID }
        let person: Person
        let descriptions: [Description]
        let rides: [OfDelivery]
        let actions: [OfDelivery]
        let courierPresses: [OfDelivery]
    }
}

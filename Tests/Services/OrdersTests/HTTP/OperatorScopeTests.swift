import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("What an operator's token is good for", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct OperatorScopeTests {
    private static func set(
        _ status: StatusCode, _ delivery: DeliveryID, as scope: String?, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol, subject: String = "ada", name: DisplayName? = nil
    ) async throws -> TestResponse {
        let token = try await orders.token(.operator, subject, scope: scope, name: name)
        return try await client.execute(
            uri: "/v1/deliveries/\(delivery)/status", method: .post,
            headers: [.authorization: "Bearer \(token)", .contentType: "application/json", .ifMatch: "*"],
            body: ByteBuffer(bytes: try WireJSON.encode(StatusBody(status: status, reason: "a test"))))
    }

    @Test("A dispatcher cancels, and a supervisor alone reopens what has ended")
    func reopening() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0].id
            #expect(try await Self.set(.cancelled, delivery, as: "viewer", orders, client).status == .forbidden)
            #expect(try await Self.set(.cancelled, delivery, as: "dispatcher", orders, client).status == .ok)
            let refused = try await Self.set(.accepted, delivery, as: "dispatcher", orders, client)
            #expect(refused.status == .forbidden && String(buffer: refused.body).contains("scope-too-narrow"))
            #expect(try await Self.set(.accepted, delivery, as: "viewer supervisor", orders, client).status == .ok)
        }
    }

    @Test("A timeline keeps an operator's subject, with what they were called at the time")
    func names() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0].id
            let subject = "oidc:login.example.com#u1"
            for (status, name) in [(StatusCode.accepted, "Ada Byron"), (.picking, "Ada Lovelace")] {
                let set = try await Self.set(
                    status, delivery, as: nil, orders, client, subject: subject, name: DisplayName(rawValue: name))
                #expect(set.status == .ok)
            }
            #expect(try await Self.set(.cancelled, delivery, as: nil, orders, client).status == .ok)
            let timeline: TimelineBody = try await orders.send(
                client, .get, "/v1/deliveries/\(delivery)/timeline", as: .operator, "bo"
            ).decode()
            #expect(
                timeline.entries.map(\.by).suffix(3) == [
                    "operator Ada Byron (\(subject))", "operator Ada Lovelace (\(subject))", "operator ada",
                ])
        }
    }

    @Test("A token with a scope that is none of ours is good for nothing, one without for everything")
    func unknown() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0].id
            #expect(try await Self.set(.accepted, delivery, as: "admin", orders, client).status == .unauthorized)
            #expect(try await Self.set(.accepted, delivery, as: nil, orders, client).status == .ok)
        }
    }
}

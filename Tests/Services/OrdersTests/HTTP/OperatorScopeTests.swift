import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("What an operator's token is good for", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct OperatorScopeTests {
    private static func set(
        _ status: StatusCode, _ delivery: DeliveryID, as scope: String?, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol, subject: String = "ada", name: DisplayName? = nil
    ) async throws -> TestResponse {
        let token = try await orders.token(.operator, subject, scope: scope, name: name)
        return try await orders.send(
            client, .post, "/v1/deliveries/\(delivery)/status", token: token,
            StatusBody(status: status, reason: "a test"), ["If-Match": "*"])
    }

    private static func allowed(
        _ delivery: DeliveryID, as scope: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> [StatusCode] {
        let token = try await orders.token(.operator, "ada", scope: scope)
        let answer = try await orders.send(client, .get, "/v1/deliveries/\(delivery)", token: token)
        return try answer.decode(DeliveryBody.self).allowed
    }

    @Test("A dispatcher cancels, and a supervisor alone reopens what has ended, as what each may set shows")
    func reopening() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            #expect(try await Self.set(.cancelled, delivery, as: "viewer", orders, client).status == .forbidden)
            #expect(try await Self.set(.cancelled, delivery, as: "dispatcher", orders, client).status == .ok)
            let refused = try await Self.set(.accepted, delivery, as: "dispatcher", orders, client)
            #expect(refused.status == .forbidden && String(buffer: refused.body).contains("scope-too-narrow"))
            #expect(try await Self.allowed(delivery, as: "dispatcher", orders, client).isEmpty)
            let allowed = try await Self.allowed(delivery, as: "supervisor", orders, client)
            #expect(allowed.contains(.accepted) && allowed.contains(.returned) && !allowed.contains(.cancelled))
            for code in allowed {
                let preview = try await orders.send(
                    client, .post, "/v1/deliveries/\(delivery)/status?preview=true", as: .operator, "ada",
                    StatusBody(status: code, reason: "a test"), ["If-Match": "*"])
                #expect(preview.status == .ok, "\(code): \(String(buffer: preview.body))")
            }
            #expect(try await Self.set(.accepted, delivery, as: "viewer supervisor", orders, client).status == .ok)
        }
    }

    @Test("An ended delivery whose customer is erased is reopened by nobody, and no status is offered for it")
    func erased() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            #expect(try await Self.set(.cancelled, delivery, as: "dispatcher", orders, client).status == .ok)
            #expect(try await !Self.allowed(delivery, as: "supervisor", orders, client).isEmpty)
            try await orders.pool.execute(
                "UPDATE deliveries SET erased_at = \(orders.clock.now) WHERE delivery_id = \(delivery.rawValue)")
            #expect(try await Self.allowed(delivery, as: "supervisor", orders, client).isEmpty)
            #expect(try await Self.set(.accepted, delivery, as: "supervisor", orders, client).status == .notFound)
        }
    }

    @Test("A wrong press goes back by a dispatcher for two hours, with a reason, and by a supervisor alone after them")
    func wrongPress() async throws {
        try await OrdersUnderTest.run { orders, client in
            func delivered(_ reference: String) async throws -> DeliveryID {
                let delivery = try await orders.place(client, try orders.body(reference: reference)).deliveries[0].id
                try await orders.assign("jonas", delivery, client)
                try await orders.set([.accepted, .picking, .pickedUp, .delivered], delivery, client)
                return delivery
            }
            let (recent, old) = (try await delivered("G-1"), try await delivered("G-2"))
            #expect(try await Self.allowed(recent, as: "viewer", orders, client).isEmpty)
            #expect(try await Self.allowed(recent, as: "dispatcher", orders, client).contains(.enRoute))
            let unexplained = try await orders.send(
                client, .post, "/v1/deliveries/\(recent)/status", as: .operator, "ada", StatusBody(status: .enRoute),
                ["If-Match": "*"])
            #expect(try unexplained.problem().type.hasSuffix("/reason-required"))
            orders.clock.advance(by: 7_190)
            let reopened: DeliveryBody = try await Self.set(.enRoute, recent, as: "dispatcher", orders, client).decode()
            #expect(reopened.reopenedFrom == .delivered && reopened.episode == 2 && reopened.flags == [.disputed])
            orders.clock.advance(by: 20)
            #expect(try await Self.set(.enRoute, old, as: "dispatcher", orders, client).status == .forbidden)
            #expect(try await Self.allowed(old, as: "dispatcher", orders, client).isEmpty)
            #expect(try await Self.allowed(old, as: "supervisor", orders, client).contains(.enRoute))
            #expect(try await Self.set(.enRoute, old, as: "supervisor", orders, client).status == .ok)
        }
    }

    @Test("A timeline keeps an operator's subject, with what they were called at the time")
    func names() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
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
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let refused = try await Self.set(.accepted, delivery, as: "admin", orders, client)
            #expect(refused.status == .unauthorized)
            #expect(try await Self.set(.accepted, delivery, as: nil, orders, client).status == .ok)
        }
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

/// What happens beside the erasure of a courier, and couriers whose traces are not the ordinary ones.
@Suite("Couriers that are erased beside other changes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierErasureRaceTests {
    private typealias Canary = CourierErasureTests

    private static func finish(
        _ orders: OrdersUnderTest, asking services: ErasingServicesByTest
    ) async throws -> Duration? {
        try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
        return try await orders.continueErasures(asking: services.client)()
    }

    private static func delivery(_ id: DeliveryID, _ orders: OrdersUnderTest) async throws -> Delivery {
        try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
    }

    /// A delivery that a courier has handed over.
    private static func delivered(
        by id: String = CourierErasureTests.courier, name: String = CourierErasureTests.name,
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        let delivery = try await Canary.picking(orders, client).deliveries[0].id
        try await Canary.assign(delivery, to: id, name: name, orders, client)
        try await orders.set([.pickedUp, .delivered], delivery, client)
        return delivery
    }

    @Test("A delivery whose pickup was pressed in the last seconds is not handed back to its store")
    func pickedUp() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Canary.picking(orders, client).deliveries[0].id
            try await Canary.assign(id, orders, client)
            let courier = try #require(CourierID(rawValue: Canary.courier))
            let press = PressStop(change: orders.change)
            let pickup = PressStop.Request(id: UUID(), delivery: id, action: .pickedUp)
            _ = try await press(pickup, by: courier)
            #expect(try await Canary.erase(endLive: true, orders, client).status == .conflict)
            #expect(try await Self.delivery(id, orders).courier?.id == courier)
            #expect(try await CourierPressRepository.press(pickup.id, on: orders.pool)?.state == .waiting)
        }
    }

    @Test("A delivery whose customer is erased while it would be handed back is no fault of the request")
    func erasedCustomer() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Canary.picking(orders, client).deliveries[0].id
            try await Canary.assign(id, orders, client)
            let accepted = try await RequestErasureTests.answer(
                beside: RequestErasureTests.endAndErase, orders
            ) { try await Canary.erase(endLive: true, orders, client) }
            #expect(accepted.status == .accepted, "\(String(buffer: accepted.body))")
        }
    }

    @Test("An id that is a number, or begins another one, replaces no text, number or courier of another id")
    func ids() async throws {
        try await OrdersUnderTest.run { orders, client in
            let own = try await Self.delivered(by: "12", name: "Al", orders, client)
            let other = try await Self.delivered(by: "123", name: "Alma", orders, client)
            try await orders.pool.execute(
                """
                UPDATE timeline SET reason = 'Al rang at house 12 at 12:40, Alma did not' WHERE timeline_id IN (
                    SELECT max(timeline_id) FROM timeline GROUP BY delivery_id)
                """)
            let before = try await Self.delivery(other, orders)
            #expect(try await Canary.erase(of: "12", orders, client).status == .accepted)
            #expect(try await Self.finish(orders, asking: ErasingServicesByTest()) == nil)
            let reasons = try await OrderRepository.timeline(own, on: orders.pool).compactMap(\.reason)
            #expect(reasons.contains("Courier rang at house 12 at 12:40, Alma did not"))
            #expect(try await Self.delivery(own, orders).courier?.id.isPseudonym == true)
            #expect(try await Self.delivery(other, orders) == before)
            let untouched = try await OrderRepository.timeline(other, on: orders.pool).compactMap(\.reason)
            #expect(untouched.contains("Al rang at house 12 at 12:40, Alma did not"))
        }
    }

    @Test("A repeated part has the same deliveries, and no delivery is left out where an answer is lost")
    func parts() async throws {
        try await OrdersUnderTest.run { orders, client in
            var all: Set<DeliveryID> = []
            for _ in 0...CourierErasureRequest.deliveriesMax { all.insert(try await Self.delivered(orders, client)) }
            #expect(try await Canary.erase(orders, client).status == .accepted)
            let services = ErasingServicesByTest()
            services.answerAboutCouriers { service, request in
                if service == .partners, request.part != "phones" { throw ErasingServicesByTest.Away() }
                return ErasureReceipt()
            }
            #expect(try await Self.finish(orders, asking: services) != nil)
            let lost = try #require(services.courierRequests(to: .partners).last)
            // A delivery of the part is a new courier's with the id meanwhile.
            let first = try #require(lost.deliveries.first).delivery.id
            try await orders.pool.execute(
                "UPDATE deliveries SET courier_id = \(Canary.courier) WHERE delivery_id = \(first.rawValue)")
            services.answerAboutCouriers { _, _ in ErasureReceipt() }
            #expect(try await Self.finish(orders, asking: services) == nil)
            let asked = services.courierRequests(to: .partners).dropFirst()
            #expect(asked.first?.part == lost.part)
            #expect(asked.map(\.isLast) == [false, false, true])
            #expect(Set(asked.flatMap(\.deliveries).map(\.delivery.id)) == all.subtracting([first]))
        }
    }

    @Test("A delivery whose customer is being erased waits, is in no resync, and never has its customer again")
    func customer() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.delivered(orders, client)
            let version = try await Self.delivery(delivery, orders).version
            let customer = try await orders.send(
                client, .post, "/v1/customers/mette/erase", as: .operator, "ada", ErasePersonBody(endLive: nil))
            #expect(customer.status == .accepted)
            let services = ErasingServicesByTest()
            services.answer { _, _ in throw ErasingServicesByTest.Away() }
            #expect(try await Canary.erase(orders, client).status == .accepted)
            #expect(try await Self.finish(orders, asking: services) != nil)
            // The other services have it without its customer at this version.
            #expect(try await Self.delivery(delivery, orders).version == version)
            #expect(services.courierRequests(to: .courierETA).allSatisfy { $0.deliveries.isEmpty })
            let republished = try await orders.pool.withTransaction { transaction in
                try await OrderRepository.republishedRows([delivery.rawValue], in: transaction)
            }
            #expect(republished.isEmpty)

            services.answer { _, _ in ErasureReceipt() }
            // In either order.
            _ = try await Self.finish(orders, asking: services)
            #expect(try await Self.finish(orders, asking: services) == nil)
            let asked = services.courierRequests(to: .courierETA).flatMap(\.deliveries).map(\.delivery)
            #expect(asked.map(\.id) == [delivery] && asked.allSatisfy { $0.customer.rawValue != "mette" })
            try await orders.pool.execute("DELETE FROM outbox")
            #expect(try await Canary.hasCanary(orders) == [])
        }
    }

    @Test("A former courier is found where the timeline has gone, and a late report brings them not back")
    func formerOfOldDelivery() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Canary.picking(orders, client).deliveries[0].id
            let canary = Courier(
                id: try #require(CourierID(rawValue: Canary.courier)), name: Canary.name, vehicle: .car, phone: nil)
            func apply(_ id: String) async throws {
                let report = ProviderReport(
                    source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: id,
                    kind: "DASHER_CONFIRMED", status: .assigned, courier: canary,
                    occurredAt: orders.clock.domain.now, receivedAt: orders.clock.domain.now)
                _ = try await orders.change([.report(report, of: delivery)])[0].get()
            }
            try await apply("first")
            try await Canary.assign(delivery, to: "noah", name: "Noah", orders, client)
            try await orders.set([.pickedUp, .delivered], delivery, client)
            try await orders.pool.execute("DELETE FROM timeline")
            #expect(try await Canary.hasCanary(orders).contains("deliveries"))
            _ = try await Canary.erased(orders, client, asking: ErasingServicesByTest())
            #expect(try await Canary.hasCanary(orders) == [])
            orders.clock.advance(by: 60)
            try await apply("late")
            #expect(try await Self.delivery(delivery, orders).courier?.id.rawValue == "noah")
            try await orders.pool.execute("DELETE FROM outbox")
            #expect(try await Canary.hasCanary(orders) == [])
        }
    }

    @Test("A delivery that is reopened while the request runs loses the courier, unless they are assigned again")
    func reopened() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (own, again) = (try await Self.delivered(orders, client), try await Self.delivered(orders, client))
            #expect(try await Canary.erase(orders, client).status == .accepted)
            for delivery in [own, again] {
                let reopened = try await orders.send(
                    client, .post, "/v1/deliveries/\(delivery)/status", as: .operator, "ada",
                    StatusBody(status: .enRoute, reason: "a test"), ["If-Match": "*"])
                #expect(reopened.status == .ok, "\(String(buffer: reopened.body))")
            }
            for name in ["noah", Canary.courier] {
                try await Canary.assign(again, to: name, name: name, orders, client)
            }
            #expect(try await Self.finish(orders, asking: ErasingServicesByTest()) == nil)
            let after = try await Self.delivery(own, orders)
            #expect(after.courier?.id.isPseudonym == true && !after.status.isEnded)
            #expect(try await Self.delivery(again, orders).courier?.id.rawValue == Canary.courier)
        }
    }
}

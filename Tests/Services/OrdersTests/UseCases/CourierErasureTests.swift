import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import NatsClient
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Couriers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierErasureTests {
    private static let canary = "canary"
    static let courier = "canary-jonas"
    static let name = "Canary Holm"
    static let phone = "+4599887766"

    static func assign(
        _ delivery: DeliveryID, to id: String = courier, name: String = name, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol
    ) async throws {
        let body = CourierBody(
            id: try #require(CourierID(rawValue: id)), name: name, vehicle: .car, phone: id == courier ? phone : nil)
        let response = try await orders.send(
            client, .put, "/v1/deliveries/\(delivery)/courier", as: .store, "nordhavn",
            AssignBody(courier: .described(body)))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
    }

    static func picking(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> OrderBody {
        let order = try await orders.place(client, try orders.body(reference: "G-\(UUID().uuidString.prefix(6))"))
        try await orders.set([.accepted, .picking], order.deliveries[0].id, client)
        return order
    }

    /// A delivery that the canary handed over, with everything about the canary that is stored.
    static func delivered(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        let delivery = try await picking(orders, client).deliveries[0].id
        let path = "/v1/deliveries/\(delivery)"
        _ = try await orders.send(
            client, .patch, "\(path)/items/milk", as: .store, "nordhavn",
            ItemBody(status: .substituteProposed, substitute: .init(name: "Oats", quantity: 2)))
        try await assign(delivery, orders, client)
        func press(_ verb: String) async throws {
            let link = try await orders.link(verb, of: delivery, client)
            _ = try await orders.send(client, .post, link, as: .customer, "mette")
        }
        try await press("approve-substitution")
        for code in [StatusCode.pickedUp, .enRoute, .atDoor] {
            let moved = try await orders.send(
                client, .post, "\(path)/status", as: .courier, courier, StatusBody(status: code))
            #expect(moved.status == .ok)
            if code == .enRoute { try await press("leave-at-door") }
        }
        _ = try await orders.send(
            client, .post, "\(path)/status", as: .courier, courier,
            StatusBody(status: .attempted, reason: "Canary Holm rang twice"))
        try await orders.set([.atDoor, .delivered], delivery, client)
        _ = try await orders.send(client, .post, "/v1/couriers/\(courier)/link", as: .operator, "ada")
        try await orders.pool.execute(
            """
            INSERT INTO courier_presses (press_id, courier_id, delivery_id, action, state, pressed_at, due_at)
            VALUES (gen_random_uuid(), \(courier), \(delivery.rawValue), 'delivered', 'done',
                \(orders.clock.domain.now), \(orders.clock.domain.now))
            """)
        try await DeadLetters(pool: orders.pool).record(
            StreamMessage(
                subject: Subject.estimatesChanged, payload: Array(#"{"courier":"canary-jonas"}"#.utf8),
                stream: "COURIERS", streamSequence: 1), of: "orders", error: "unreadable")
        return delivery
    }

    static func erase(
        of id: String = courier, endLive: Bool? = nil, by store: String? = nil, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        let token = try await orders.token(store == nil ? .operator : .store, store ?? "ada", store: store)
        return try await orders.send(
            client, .post, "/v1/couriers/\(id)/erase", token: token, ErasePersonBody(endLive: endLive))
    }

    static func erased(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, asking services: ErasingServicesByTest
    ) async throws -> PersonRequestBody {
        let accepted = try await erase(orders, client)
        #expect(accepted.status == .accepted, "\(String(buffer: accepted.body))")
        let running: PersonRequestBody = try accepted.decode()
        #expect(running.person == .courier && running.courier?.rawValue == courier && running.customer == nil)
        #expect(try await orders.continueErasures(asking: services.client)() == nil)
        try await orders.pool.execute("DELETE FROM outbox")
        return try await orders.send(
            client, .get, "/v1/person-requests/\(running.id)", as: .operator, "ada"
        ).decode()
    }

    static func hasCanary(_ orders: OrdersUnderTest) async throws -> Set<String> {
        Set(try await tablesWith(canary, on: orders.pool)).union(try await tablesWith(phone, on: orders.pool))
    }

    @Test(
        "Nothing of an erased courier is in any table, and the deliveries are their customers' as before",
        arguments: StoredForm.allCases)
    func canaries(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let delivery = try await Self.delivered(orders, client)
            // A live delivery of another courier, which had the canary before.
            let live = try await Self.picking(orders, client).deliveries[0].id
            try await Self.assign(live, orders, client)
            try await Self.assign(live, to: "noah", name: "Noah", orders, client)
            try await orders.pool.execute("DELETE FROM outbox")
            let present = try await Self.hasCanary(orders)
            #expect(
                present == [
                    "courier_links", "courier_presses", "couriers", "dead_letters", "deliveries", "personal_reads",
                    "timeline", "timers",
                ])
            let number = try await Self.storedPhone(orders)
            #expect((number == Self.phone) == (form == .readable))
            let before = try #require(try await OrderRepository.delivery(delivery, on: orders.pool)).delivery

            let services = ErasingServicesByTest()
            let done = try await Self.erased(orders, client, asking: services)
            #expect(done.state == .done && done.person == .courier && done.courier == nil)
            let left = try await Self.hasCanary(orders).union(tablesWith(number, on: orders.pool))
            #expect(left == [])
            let rows = try await orders.pool.query("SELECT FROM courier_erasures")
            #expect(rows.isEmpty)

            let after = try #require(try await OrderRepository.delivery(delivery, on: orders.pool)).delivery
            let pseudonym = try #require(after.courier)
            #expect(pseudonym.id.isPseudonym && pseudonym.name == ErasedCourier.name && pseudonym.phone == nil)
            #expect(after.customer == before.customer && after.items == before.items && after.status == before.status)
            #expect(after.version == before.version + 1)
            let other = try #require(try await OrderRepository.delivery(live, on: orders.pool)).delivery
            #expect(other.courier?.id.rawValue == "noah")
            let timeline = try await OrderRepository.timeline(delivery, on: orders.pool)
            #expect(timeline.contains { $0.by == "courier \(pseudonym.id)" })
            let answers = try await orders.pool.query("SELECT body FROM link_presses")
            let texts = try answers.map { String(decoding: try $0.decode("body", as: [UInt8].self), as: UTF8.self) }
            let bodies = try texts.map { try WireJSON.decode(LinkBody.self, from: Data($0.utf8)) }
            #expect(bodies.contains { $0.message == "Asked Courier to leave it at the door" })
            #expect(texts.contains { $0.contains(#""name":"Courier""#) } && !texts.contains { $0.contains("Canary") })
            for service in ErasingService.allCases {
                let requests = services.courierRequests(to: service)
                    .filter { $0.part != "phones" && $0.part != ErasureRequest.readsPart }
                let request = try #require(requests.first)
                #expect(Set(request.deliveries.map(\.delivery.id)) == [delivery, live])
                #expect(requests.map(\.isLast) == [false, true])
                #expect(request.courier.names == [Self.name] && request.courier.phones == [Self.phone])
                #expect(!request.keepsCourier)
            }
        }
    }

    @Test("A report, an old link, and the versions of a delivery bring no erased courier back")
    func late() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.delivered(orders, client)
            // Of an earlier second than the next courier's.
            try await orders.pool.execute("UPDATE courier_links SET number = number - 1")
            let link = try await orders.send(client, .post, "/v1/couriers/\(Self.courier)/link", as: .operator, "ada")
                .decode(CourierLinkBody.self)
            _ = try await Self.erased(orders, client, asking: ErasingServicesByTest())
            let canary = Courier(
                id: try #require(CourierID(rawValue: Self.courier)), name: Self.name, vehicle: .car, phone: Self.phone)
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: "late",
                kind: "DASHER_DROPPED_OFF", status: .delivered, courier: canary, occurredAt: orders.clock.domain.now,
                receivedAt: orders.clock.domain.now)
            _ = try await orders.change([.report(report, of: delivery)])[0].get()
            let page = try await client.execute(
                uri: OrdersUnderTest.path(of: link.url), method: .get)
            #expect(page.status != .ok)
            let newest = try #require(try await OrderRepository.delivery(delivery, on: orders.pool)).delivery.version
            let versions = try await ShowVersions(pool: orders.pool)(
                DeliveryVersionsQuestion(delivery, 1...newest))
            #expect(versions.changes.map(\.delivery.version) == Array(1...newest))
            let text = String(decoding: try WireJSON.encode(versions), as: UTF8.self).lowercased()
            #expect(!text.contains(Self.canary))
            try await orders.pool.execute("DELETE FROM outbox")
            let left = try await Self.hasCanary(orders)
            #expect(left == [])

            // The id is a new courier's, whose page no former link shows.
            let again = try await orders.send(client, .post, "/v1/couriers/\(Self.courier)/link", as: .operator, "ada")
                .decode(CourierLinkBody.self)
            #expect(again.url != link.url)
        }
    }

    @Test("The numbers of a day are the same after a courier of its deliveries is erased, but for the name")
    func statistics() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.delivered(orders, client)
            func report() async throws -> DayReportBody {
                try await orders.send(client, .get, "/v1/report", as: .operator, "ada").decode()
            }
            let before = try await report()
            _ = try await Self.erased(orders, client, asking: ErasingServicesByTest())
            let after = try await report()
            #expect(before.figures == after.figures && before.couriers.map(\.figures) == after.couriers.map(\.figures))
            let couriers = after.couriers.map(\.courier)
            #expect(couriers.count == 1 && couriers.allSatisfy(\.isPseudonym))
        }
    }

    @Test("Live deliveries refuse an erasure and are named; those in their store are handed back where it is asked")
    func live() async throws {
        try await OrdersUnderTest.run { orders, client in
            let inStore = try await Self.picking(orders, client).deliveries[0].id
            try await Self.assign(inStore, orders, client)
            let refused = try await Self.erase(orders, client)
            #expect(refused.status == .conflict)
            #expect(String(buffer: refused.body).contains(inStore.rawValue))
            #expect(try refused.problem().type == "https://doorstep.dev/problems/live-deliveries")

            let carried = try await Self.picking(orders, client).deliveries[0].id
            try await Self.assign(carried, orders, client)
            try await orders.set(.pickedUp, carried, client)
            let withGoods = try await Self.erase(endLive: true, orders, client)
            #expect(withGoods.status == .conflict)
            #expect(String(buffer: withGoods.body).contains(carried.rawValue))
            // Nothing was handed back.
            let kept = try #require(try await OrderRepository.delivery(inStore, on: orders.pool)).delivery
            #expect(kept.courier?.id.rawValue == Self.courier)

            // Another courier is to fetch the goods: they are still with the canary.
            try await Self.assign(carried, to: "noah", name: "Noah", orders, client)
            #expect(try await Self.erase(endLive: true, orders, client).status == .conflict)
            try await orders.set(.delivered, carried, client)
            #expect(try await Self.erase(endLive: true, orders, client).status == .accepted)
            let back = try #require(try await OrderRepository.delivery(inStore, on: orders.pool)).delivery
            #expect(back.courier == nil && back.flags.contains(.reassigning))
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            try await orders.pool.execute("DELETE FROM outbox")
            let left = try await Self.hasCanary(orders)
            #expect(left == [])
        }
    }

    @Test("A courier on duty is not erased, unless the duty is to end")
    func duty() async throws {
        try await OrdersUnderTest.run { orders, client in
            let end = orders.clock.domain.now.addingTimeInterval(3_600)
            orders.erasing.answerAboutCouriers { _, request in
                ErasureReceipt(onDutyUntil: request.isQuestion ? end : nil)
            }
            let refused = try await Self.erase(orders, client)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/courier-on-duty")
            orders.erasing.answerAboutCouriers { _, _ in throw ErasingServicesByTest.Away() }
            #expect(try await Self.erase(orders, client).status == .serviceUnavailable)
            #expect(try await Self.erase(endLive: true, orders, client).status == .accepted)
        }
    }

    @Test("A store erases a courier whom it alone knows")
    func stores() async throws {
        try await OrdersUnderTest.run { orders, client in
            #expect(try await Self.erase(by: "nordhavn", orders, client).status == .notFound)
            _ = try await Self.delivered(orders, client)
            let refused = try await Self.erase(by: "nordhavn", orders, client)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/courier-of-other-stores")
            try await orders.pool.execute("DELETE FROM couriers")
            #expect(try await Self.erase(by: "valby", orders, client).status == .notFound)
            // A description makes no courier a store's, whose phones an operator may have enrolled.
            try await orders.pool.execute(
                """
                INSERT INTO store_couriers (store_id, courier_id, snapshot)
                SELECT 'valby', courier_id, snapshot->'courier' FROM deliveries WHERE courier_id = \(Self.courier)
                """)
            let described = try await Self.erase(by: "valby", orders, client)
            #expect(try described.problem().type == "https://doorstep.dev/problems/courier-of-other-stores")
            #expect(try await Self.erase(by: "nordhavn", orders, client).status == .conflict)
            try await orders.pool.execute("DELETE FROM store_couriers WHERE store_id = 'valby'")
            let accepted = try await Self.erase(by: "nordhavn", orders, client)
            #expect(accepted.status == .accepted)
            let id = try accepted.decode(PersonRequestBody.self).id
            #expect(try await Self.erase(by: "nordhavn", orders, client).decode(PersonRequestBody.self).id == id)
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            #expect(try await Self.erase(by: "nordhavn", orders, client).decode(PersonRequestBody.self).id == id)
        }
    }

    @Test("A courier with the id since the request is a new one, and a request is finished once a service is back")
    func again() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.delivered(orders, client)
            let running: PersonRequestBody = try await Self.erase(orders, client).decode()
            let services = ErasingServicesByTest()
            services.answerAboutCouriers { _, _ in throw ErasingServicesByTest.Away() }
            #expect(try await orders.continueErasures(asking: services.client)() != nil)
            #expect(services.courierRequests(to: .courierETA).first?.part == "phones")
            let live = try await Self.picking(orders, client).deliveries[0].id
            try await Self.assign(live, orders, client)
            services.answerAboutCouriers { _, _ in ErasureReceipt(rows: ["events": 1]) }
            try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueErasures(asking: services.client)() == nil)
            let kept = try #require(try await OrderRepository.delivery(live, on: orders.pool)).delivery
            #expect(kept.courier?.id.rawValue == Self.courier)
            #expect(try #require(services.courierRequests(to: .courierETA).last).keepsCourier)
            let done: PersonRequestBody = try await orders.send(
                client, .get, "/v1/person-requests/\(running.id)", as: .operator, "ada"
            ).decode()
            #expect(done.state == .done)
            // The desk is asked about its access log once more.
            for service in done.services where service.service != "orders" {
                #expect(service.tables.map(\.rows) == [service.service == "desk" ? 3 : 2])
            }
        }
    }
}

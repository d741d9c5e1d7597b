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
import Synchronization
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Customers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ErasureTests {
    /// Stands in every field of an order that has a text.
    private static let canary = "canary"
    static let customer = "canary-customer"

    private static func body(_ orders: OrdersUnderTest) throws -> PlaceOrderBody {
        var body = try orders.body(customer: customer, reference: "CANARY-1042")
        body.recipient = Recipient(name: "Canary Holm", phone: "canary +45")
        body.address = Address(
            street: "Canary street 40", floor: "canary", postalCode: "canary", city: "Canary city", doorCode: "canary1")
        body.note = "canary note"
        body.deliveries[0].barcode = "canary-barcode"
        body.deliveries[0].items[0].name = "Canary milk"
        return body
    }

    /// An order of the canary that is delivered, with everything about it that is stored.
    private static func delivered(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, key: String = UUID().uuidString
    ) async throws -> OrderBody {
        let order = try await orders.place(client, try body(orders), key: key)
        let delivery = order.deliveries[0].id
        let path = "/v1/deliveries/\(delivery)"
        try await orders.set([.accepted, .picking], delivery, client)
        let proposed = try await orders.send(
            client, .patch, "\(path)/items/milk", as: .store, "nordhavn",
            ItemBody(status: .substituteProposed, substitute: .init(name: "Canary oats", quantity: 2)))
        #expect(proposed.status == .ok)
        try await orders.assign("jonas", delivery, client)
        let link = try await orders.link("approve-substitution", of: delivery, to: customer, client)
        let pressed = try await orders.send(client, .post, link, as: .customer, customer)
        #expect(pressed.status == .ok)
        let held = try await orders.send(
            client, .put, "\(path)/hold", as: .operator, "ada", HoldBody(reason: "canary is ill"))
        #expect(held.status == .ok)
        _ = try await orders.send(
            client, .delete, "\(path)/hold", as: .operator, "ada", HoldBody(reason: "canary is well"))
        _ = try await orders.send(
            client, .patch, "\(path)/drop-off", as: .operator, "ada",
            DropOffBody(note: .text("another canary"), reason: "canary called"), ["If-Match": "*"])
        try await orders.set([.pickedUp, .enRoute, .atDoor, .attempted, .atDoor], delivery, client)
        _ = try await orders.change([report(of: delivery, id: "canary-1", status: .delivered, orders)])[0].get()
        _ = try await orders.send(
            client, .put, "\(path)/feedback", as: .customer, customer, GiveFeedbackBody(kind: .allRight))
        try await DeadLetters(pool: orders.pool).record(
            StreamMessage(
                subject: Subject.estimatesChanged, payload: Array(#"{"canary":"\#(delivery)"}"#.utf8),
                stream: "COURIERS", streamSequence: 1), of: "orders", error: "unreadable")
        return order
    }

    /// Puts a row of the delivery into each table that the requests of ``delivered(_:_:key:)`` write none to.
    private static func addRows(of delivery: DeliveryID, _ orders: OrdersUnderTest) async throws {
        let (id, now) = (delivery.rawValue, orders.clock.domain.now)
        let statements: [SQL] = [
            """
            INSERT INTO courier_presses (press_id, courier_id, delivery_id, action, state, pressed_at, due_at)
            VALUES (gen_random_uuid(), 'jonas', \(id), 'delivered', 'done', \(now), \(now))
            """,
            "INSERT INTO delivery_pins (delivery_id, sealed) VALUES (\(id), 'sealed')",
            """
            INSERT INTO proof_images (delivery_id, content_hash, format, sealed) VALUES (\(id), 'hash', 'png', 'sealed')
            """,
            "INSERT INTO link_presses (link_hash, delivery_id, status, body) VALUES ('hash', \(id), 200, 'canary')",
            "INSERT INTO timers (kind, key, due_at, payload) VALUES ('canary', \(id) || '/1', \(now), 'canary')",
        ]
        for statement in statements { try await orders.pool.execute(statement) }
    }

    private static func report(
        of delivery: DeliveryID, id: String, status: StatusCode?, _ orders: OrdersUnderTest
    ) throws -> ChangeDelivery.Request {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: id,
                kind: "CANARY_EVENT",
                status: status, occurredAt: nil, receivedAt: orders.clock.domain.now, reason: "canary was not there"),
            of: delivery)
    }

    static func erase(
        _ customer: String, endLive: Bool? = nil, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await orders.send(
            client, .post, "/v1/customers/\(customer)/erase", as: .operator, "ada", ErasePersonBody(endLive: endLive))
    }

    private static func request(
        _ id: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> PersonRequestBody {
        try await orders.send(client, .get, "/v1/person-requests/\(id)", as: .operator, "ada").decode()
    }

    @Test("Nothing of an erased customer is in any table, also after late messages and repeats")
    func canaries() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await Self.delivered(orders, client, key: "canary-key")
            let delivery = order.deliveries[0].id
            try await Self.addRows(of: delivery, orders)
            _ = try await orders.send(client, .get, "/v1/deliveries/\(delivery)", as: .operator, "ada")
            let before = try await tablesWith(Self.canary, on: orders.pool)
            #expect(
                before == [
                    "dead_letters", "deliveries", "idempotency_keys", "link_presses", "orders", "outbox",
                    "personal_reads", "timeline", "timers",
                ])
            let ofDelivery = try await tablesWith(column: "delivery_id", on: orders.pool)
                .subtracting(["courier_erasures"])
            #expect(ofDelivery.isSubset(of: try await tablesWith(delivery.rawValue, on: orders.pool)))

            let accepted = try await Self.erase(Self.customer, orders, client)
            #expect(accepted.status == .accepted)
            let running: PersonRequestBody = try accepted.decode()
            #expect(running.state == .running && running.customer?.rawValue == Self.customer)
            #expect(accepted.headers[.location] == "/v1/person-requests/\(running.id)")
            let services = ErasingServicesByTest()
            #expect(try await orders.continueErasures(asking: services.client)() == nil)

            // The broker has accepted what the outbox had.
            try await orders.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith(Self.canary, on: orders.pool) == ["idempotency_keys"])
            #expect(
                try await tablesWith(delivery.rawValue, on: orders.pool) == [
                    "deliveries", "idempotency_keys", "link_presses", "orders", "person_requests", "personal_reads",
                    "timeline",
                ])
            // The key itself is the shop's.
            try await orders.pool.execute("UPDATE idempotency_keys SET key = 'repeated' WHERE key = 'canary-key'")
            #expect(try await tablesWith(Self.canary, on: orders.pool) == [])

            let late = await orders.change([try Self.report(of: delivery, id: "canary-2", status: .returned, orders)])
            #expect(throws: ChangeDelivery.Refusal.self) { try late[0].get() }
            let repeated = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", try Self.body(orders),
                ["Idempotency-Key": "repeated"])
            #expect(repeated.status == .created)
            #expect(try repeated.decode(OrderBody.self).id == order.id)
            #expect(try await tablesWith(Self.canary, on: orders.pool) == [])
            #expect(try await orders.outbox().isEmpty)

            let done = try await Self.request(running.id, orders, client)
            #expect(done.state == .done && done.customer == nil && done.finishedAt != nil)
            let own = try #require(done.services.first { $0.service == "orders" })
            #expect(own.tables.first { $0.table == "deliveries" }?.rows == 1)
            #expect(own.tables.contains { $0.table == "timeline" })
            #expect(done.expiries?.isEmpty == false)
        }
    }

    @Test("Other services are asked about the delivery at its last version, without its customer")
    func asked() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await Self.delivered(orders, client)
            let version = try #require(
                try await OrderRepository.delivery(order.deliveries[0].id, on: orders.pool)
            ).delivery.version
            _ = try await Self.erase(Self.customer, orders, client)
            let services = ErasingServicesByTest()
            _ = try await orders.continueErasures(asking: services.client)()
            for service in ErasingService.allCases {
                let request = try #require(services[service].first)
                // The desk is asked for its access log once more, after the rows of `orders`.
                let parts = ["/\(order.deliveries[0].id)/last"] + (service == .desk ? ["reads"] : [])
                #expect(services[service].map(\.part) == parts)
                #expect(request.isLast && request.mayWait && request.customer.rawValue == Self.customer)
                let delivery = try #require(request.deliveries.first).delivery
                #expect(delivery.id == order.deliveries[0].id && delivery.version == version)
                #expect(delivery.customer == request.pseudonym && request.pseudonym != request.customer)
                let text = String(decoding: try WireJSON.encode(request.deliveries), as: UTF8.self).lowercased()
                #expect(!text.contains(Self.canary), "\(text)")
            }
        }
    }

    @Test("The numbers of a day are the same after the customer of its deliveries is erased")
    func statistics() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.delivered(orders, client)
            func numbers() async throws -> String {
                let report = try await orders.send(client, .get, "/v1/report", as: .operator, "ada")
                return String(buffer: report.body)
            }
            let before = try await numbers()
            _ = try await Self.erase(Self.customer, orders, client)
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            #expect(try await numbers() == before)
            #expect(before.contains(#""delivered":1"#), "\(before)")
        }
    }

    @Test("A request goes on where it was when a service, or this process, comes back, and is finished once")
    func resumed() async throws {
        try await OrdersUnderTest.run { orders, client in
            let deliveries = 230
            let body = try orders.body(bags: 10, customer: Self.customer)
            for number in 0..<(deliveries / 10) {
                var body = body
                body.reference = "G-\(number)"
                let order = try await orders.place(client, body)
                for delivery in order.deliveries { try await orders.set(.cancelled, delivery.id, client) }
            }
            let running: PersonRequestBody = try await Self.erase(Self.customer, orders, client).decode()
            let services = ErasingServicesByTest()
            // Each service counts a part once, as their tables of parts have it; every other answer is lost.
            let parts = Parts()
            services.answer { service, request in
                let receipt = ErasureReceipt(rows: [
                    "rows": parts.first(service, request) ? request.deliveries.count : 0
                ])
                if parts.isLost() { throw ErasingServicesByTest.Away() }
                return ErasureReceipt(rows: receipt.rows.filter { $0.value > 0 })
            }
            var rounds = 0
            while try await orders.continueErasures(asking: services.client)() != nil, rounds < 100 {
                rounds += 1
                // The pause before the services are asked again.
                try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            }
            #expect(rounds > 1)
            let done = try await Self.request(running.id, orders, client)
            #expect(done.state == .done)
            let own = done.services.first { $0.service == "orders" }
            #expect(own?.tables.first { $0.table == "deliveries" }?.rows == deliveries)
            #expect(own?.tables.first { $0.table == "orders" }?.rows ?? 0 >= deliveries / 10)
            for service in ErasingService.allCases {
                #expect(Set(services[service].map(\.part)).count == (service == .desk ? 4 : 3))
                #expect(Set(services[service].flatMap(\.deliveryIDs)).count == deliveries)
            }
            #expect(try await tablesWith(Self.customer, on: orders.pool).filter { $0 != "outbox" } == [])
        }
    }

    /// The parts that services have erased, and which of their answers are lost.
    private final class Parts: Sendable {
        private let parts = Mutex<Set<String>>([])
        private let answers = Mutex(0)

        func first(_ service: ErasingService, _ request: ErasureRequest) -> Bool {
            parts.withLock { $0.insert("\(service.rawValue) \(request.part)").inserted }
        }

        func isLost() -> Bool {
            answers.withLock { count in
                count += 1
                return count.isMultiple(of: 2)
            }
        }
    }

    @Test("A repeat returns the running request, then the last one; an order since then makes another")
    func repeats() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.delivered(orders, client)
            func ask() async throws -> String {
                try await Self.erase(Self.customer, orders, client).decode(PersonRequestBody.self).id
            }
            let first = try await ask()
            #expect(try await ask() == first)
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            #expect(try await ask() == first)
            let order = try await orders.place(client, try orders.body(customer: Self.customer, reference: "G-2"))
            try await orders.set(.cancelled, order.deliveries[0].id, client)
            #expect(try await ask() != first)
        }
    }

    @Test("Live deliveries refuse an erasure, and end first where the request asks for it")
    func live() async throws {
        try await OrdersUnderTest.run { orders, client in
            let inStore = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            let underWay = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            try await orders.set([.accepted, .picking], underWay, client)
            try await orders.assign("jonas", underWay, client)
            try await orders.set(.pickedUp, underWay, client)
            let refused = try await Self.erase("mette", orders, client)
            #expect(refused.status == .conflict)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/live-deliveries")

            #expect(try await Self.erase("mette", endLive: true, orders, client).status == .accepted)
            let ends = try await orders.pool.query(
                "SELECT delivery_id, status FROM deliveries ORDER BY status"
            ).map { try $0.decode("status", as: String.self) }
            #expect(ends == ["cancelled", "failed"])
            _ = (inStore, underWay)
        }
    }

    @Test("A store erases a customer of its own alone, and reads its own requests alone")
    func stores() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body())
            try await orders.set(.cancelled, order.deliveries[0].id, client)
            func ask(_ store: String, _ method: HTTPRequest.Method, _ path: String) async throws -> TestResponse {
                let token = try await orders.token(.store, store, store: store)
                return try await orders.send(
                    client, method, path, token: token, method == .get ? nil : ErasePersonBody())
            }
            #expect(try await ask("valby", .post, "/v1/customers/mette/erase").status == .notFound)
            let accepted = try await ask("nordhavn", .post, "/v1/customers/mette/erase")
            #expect(accepted.status == .accepted)
            let path = "/v1/person-requests/\(try accepted.decode(PersonRequestBody.self).id)"
            #expect(try await ask("nordhavn", .get, path).status == .ok)
            #expect(try await ask("valby", .get, path).status == .notFound)

            try await orders.pool.execute("UPDATE deliveries SET erased_at = NULL")
            try await orders.pool.execute("DELETE FROM person_requests")
            try await orders.pool.execute(
                """
                INSERT INTO deliveries SELECT gen_random_uuid()::text, order_id, 2, customer_id, 'valby', courier_id,
                    status, courier_status, flags, version, promise_end, ended_at, snapshot FROM deliveries
                """)
            let refused = try await ask("nordhavn", .post, "/v1/customers/mette/erase")
            #expect(refused.status == .conflict)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/customer-of-other-stores")
        }
    }

    @Test("Without a key nobody is erased")
    func withoutKey() async throws {
        try await OrdersUnderTest.run(erases: false) { orders, client in
            let refused = try await Self.erase("mette", orders, client)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/erasures-not-configured")
        }
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Exports of many customers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ExportTurnsTests {
    private static let note = ExportChunk(
        section: .notes, records: [#"{"delivery":"a","changedAt":"2026-11-21T18:24:00Z"}"#], next: nil)

    /// A customer with ten deliveries in each order, which have ended: few may be live at a time.
    static func place(
        _ count: Int, of customer: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws {
        for number in 0..<count {
            var body = try orders.body(bags: 10, customer: customer)
            body.reference = "\(customer)-\(number)"
            let order = try await orders.place(client, body)
            for delivery in order.deliveries { try await orders.set(.cancelled, delivery.id, client) }
        }
    }

    /// Ends the pause of requests whose service did not answer.
    private static func endPause(_ orders: OrdersUnderTest) async throws {
        try await orders.pool.execute("UPDATE person_exports SET leased_until = now() - interval '1 s'")
    }

    @Test("A part keeps its bounds where deliveries of it are deleted between two chunks, and devices are asked for")
    func parts() async throws {
        try await OrdersUnderTest.run { orders, client in
            try await Self.place(6, of: ExportedCustomer.id, orders, client)
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            let all = try await orders.pool.query(
                "SELECT delivery_id FROM deliveries ORDER BY delivery_id COLLATE \"C\""
            )
            .map { try $0.decode("delivery_id", as: String.self) }
            let services = ExportingServicesByTest()
            services.answer { [pool = orders.pool] service, request in
                guard service == .desk, request.cursor == nil else {
                    return ExportChunk(section: nil, records: [], next: nil)
                }
                // Twenty of each part are deleted behind its first chunk.
                try await pool.execute(
                    """
                    UPDATE deliveries SET customer_id = 'erased-1'
                    WHERE delivery_id = ANY(\(Array(request.deliveryIDs.prefix(20)))::text[])
                    """)
                return ExportChunk(section: Self.note.section, records: Self.note.records, next: "more")
            }
            // A turn reads a part once.
            var work = orders.continueExports(asking: services.client)
            work.chunksMax = 1
            #expect(try await work() == nil)
            #expect(try await ExportedCustomer.status(id, orders, client).state == .done)
            let asked = services[.desk]
            #expect(asked.map { $0.cursor == nil } == [true, false, true, false])
            #expect(asked.map(\.isLast) == [false, false, true, true])
            #expect(asked[0].deliveryIDs == Array(all.prefix(50)))
            #expect(asked[1].deliveryIDs == Array(all[20..<50]))
            #expect(asked[2].deliveryIDs == Array(all[50...]))
            #expect(asked[3].deliveryIDs.isEmpty)
        }
    }

    @Test("A section that cannot be read is named and asked again, and holds up neither services nor other requests")
    func ownFailure() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try ExportedCustomer.body(orders))
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            let work = orders.continueExports(asking: ExportingServicesByTest().client)
            try await orders.pool.execute("ALTER TABLE link_presses RENAME TO away")
            #expect(try await work() != nil)
            let running = try await ExportedCustomer.status(id, orders, client)
            for one in running.services { #expect(one.isDone == (one.service != "orders")) }
            #expect(running.services.compactMap(\.failure) == ["its records cannot be read"])
            try await orders.pool.execute("ALTER TABLE away RENAME TO link_presses")
            try await Self.endPause(orders)
            #expect(try await work() == nil)
            #expect(try await ExportedCustomer.status(id, orders, client).state == .done)
        }
    }

    @Test("A customer with many deliveries lets another have a turn")
    func turns() async throws {
        try await OrdersUnderTest.run { orders, client in
            try await Self.place(12, of: ExportedCustomer.id, orders, client)
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "G-1"))
            let ids = try await [ExportedCustomer.id, "ole"].asyncIDs { customer in
                try await ExportedCustomer.request(orders, client, customer: customer)
                    .decode(PersonRequestBody.self).id
            }
            let services = ExportingServicesByTest()
            var work = orders.continueExports(asking: services.client)
            work.chunksMax = 5
            #expect(try await work() == nil)
            for id in ids { #expect(try await ExportedCustomer.status(id, orders, client).state == .done) }
            let asked = services[.desk].map { $0.request.uuidString.lowercased() }
            #expect(asked.firstIndex(of: ids[1]) ?? .max < asked.lastIndex(of: ids[0]) ?? 0)
        }
    }

    @Test("A service that does not answer is asked once in a round, whatever the number of requests")
    func away() async throws {
        try await OrdersUnderTest.run { orders, client in
            for customer in ["ole", "aya", "nina"] {
                _ = try await orders.place(client, try orders.body(customer: customer, reference: "G-\(customer)"))
                _ = try await ExportedCustomer.request(orders, client, customer: customer)
            }
            let services = ExportingServicesByTest()
            services.answer { service, _ in
                guard service != .partners else { throw ExportingServicesByTest.Away() }
                return Self.note
            }
            let work = orders.continueExports(asking: services.client)
            #expect(try await work() != nil)
            #expect(services[.partners].count == 1 && services[.desk].count == 3)
            services.answer { _, _ in Self.note }
            try await Self.endPause(orders)
            #expect(try await work() == nil)
            #expect(services[.partners].count == 4 && services[.desk].count == 3)
        }
    }

    @Test("Of many customers one chunk is in the making at a time, and each is asked for once")
    func many() async throws {
        try await OrdersUnderTest.run { orders, client in
            let customers = 150
            try await orders.pool.execute(
                """
                INSERT INTO person_exports (person_request_id, person, customer_id, requested_by, requested_at)
                SELECT gen_random_uuid(), 'customer', 'customer-' || number, 'operator ada', \(orders.clock.now)
                FROM generate_series(1, \(customers)) AS number
                """)
            let present = Mutex((now: 0, most: 0))
            let services = ExportingServicesByTest()
            services.answer { service, _ in
                present.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { present.withLock { $0.now -= 1 } }
                await Task.yield()
                return Self.note
            }
            let work = orders.continueExports(asking: services.client)
            var rounds = 0
            while try await work() != nil, rounds < customers { rounds += 1 }
            #expect(present.withLock { $0.most } == 1)
            for service in ErasingService.allCases {
                #expect(services[service].count == customers)
                #expect(Set(services[service].map(\.customer)).count == customers)
            }
            let left = try await orders.pool.query("SELECT 1 FROM person_exports WHERE finished_at IS NULL")
            #expect(left.isEmpty)
        }
    }

    @Test("A process that is killed behind its last chunk leaves a request that only has to end")
    func lastChunk() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await ExportedCustomer.delivered(orders, client)
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            let services = ExportingServicesByTest()
            services.answer { _, _ in Self.note }
            let work = orders.continueExports(asking: services.client)
            #expect(try await work() == nil)
            let whole = try await ExportedCustomer.archive(id, orders, client).body
            try await orders.pool.execute("UPDATE person_exports SET finished_at = NULL, lease = gen_random_uuid()")
            try await Self.endPause(orders)
            #expect(try await ExportedCustomer.status(id, orders, client).state == .running)
            #expect(try await work() == nil)
            #expect(try await ExportedCustomer.status(id, orders, client).state == .done)
            #expect(try await ExportedCustomer.archive(id, orders, client).body == whole)
            for service in ErasingService.allCases { #expect(services[service].count == 1) }
        }
    }
}

extension [String] {
    /// The texts by which `body` answers for each, in order.
    fileprivate func asyncIDs(_ body: (String) async throws -> String) async throws -> [String] {
        var ids: [String] = []
        for one in self { ids.append(try await body(one)) }
        return ids
    }
}

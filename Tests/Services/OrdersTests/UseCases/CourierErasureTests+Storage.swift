import DomainTime
import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

extension CourierErasureTests {
    /// The number as the database has it: sealed, or in clear.
    static func storedPhone(_ orders: OrdersUnderTest) async throws -> String {
        let rows = try await orders.pool.query(
            "SELECT snapshot->>'phone' AS phone FROM couriers WHERE courier_id = \(courier)")
        return try #require(rows.first).decode("phone")
    }

    @Test(
        "The database has the number of a courier whose erasure is running in the form that deliveries have",
        arguments: StoredForm.allCases)
    func runningNumber(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            _ = try await Self.delivered(orders, client)
            let number = try await Self.storedPhone(orders)
            #expect(try await Self.erase(orders, client).status == .accepted)
            let rows = try await orders.pool.query("SELECT courier_texts->'phones'->>0 AS phone FROM person_requests")
            #expect(try rows.map { try $0.decode("phone", as: String?.self) } == [number])
        }
    }

    @Test("Deliveries with full baskets are sent to other services in parts that a message holds")
    func fullBaskets() async throws {
        try await OrdersUnderTest.run { orders, client in
            for _ in 0..<3 { _ = try await Self.delivered(orders, client) }
            let services = ErasingServicesByTest()
            services.answerAboutCouriers { _, _ in throw ErasingServicesByTest.Away() }
            #expect(try await Self.erase(orders, client).status == .accepted)
            #expect(try await orders.continueErasures(asking: services.client)() != nil)
            let before = services.courierRequests(to: .partners).count
            // A property of no version makes them as large as 200 lines with long names do.
            try await orders.pool.execute(
                "UPDATE deliveries SET snapshot = jsonb_set(snapshot, '{unknown}', to_jsonb(repeat('x', 150000)))")
            services.answerAboutCouriers { _, _ in ErasureReceipt() }
            try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueErasures(asking: services.client)() == nil)
            let parts = services.courierRequests(to: .partners).dropFirst(before).map(\.deliveries.count)
            #expect(parts.filter { $0 > 0 } == [1, 1, 1], "\(parts)")
        }
    }

    @Test("The desk replaces an erased courier in its access log once more after every service has erased its rows")
    func reads() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.delivered(orders, client)
            let services = ErasingServicesByTest()
            services.answerAboutCouriers { service, request in
                guard service == .desk, request.part == ErasureRequest.readsPart else { return ErasureReceipt() }
                throw ErasingServicesByTest.Away()
            }
            let running: PersonRequestBody = try await Self.erase(orders, client).decode()
            func state() async throws -> PersonRequestBody {
                try await orders.send(
                    client, .get, "/v1/person-requests/\(running.id)", as: .operator, "ada"
                ).decode()
            }
            #expect(try await orders.continueErasures(asking: services.client)() != nil)
            #expect(try await state().state == .running)
            services.answerAboutCouriers { _, _ in ErasureReceipt(rows: ["personal_reads": 1]) }
            try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueErasures(asking: services.client)() == nil)
            #expect(try await state().state == .done)
            let last = try #require(services.courierRequests(to: .desk).last)
            #expect(last.part == ErasureRequest.readsPart && last.isLast && last.deliveries.isEmpty)
            let left = try await orders.reads.log.list(.init()).reads.flatMap(\.couriers)
            #expect(!left.contains(Self.courier))
        }
    }

    @Test("A request whose courier has a number that no key opens waits, names that, and goes on once the key is back")
    func missingKey() async throws {
        func box(_ key: UInt8) throws -> PersonalDataBox { try SealedPersonalDataTests.box([key], sealing: key) }
        let services = ErasingServicesByTest()
        try await OrdersUnderTest.run(personalData: try box(1)) { orders, client in
            _ = try await Self.delivered(orders, client)
            _ = try await Self.erase(orders, client)
        }
        try await OrdersUnderTest.run(personalData: try box(2)) { orders, client in
            #expect(try await orders.continueErasures(asking: services.client)() != nil)
            let rows = try await orders.pool.query("SELECT receipts->'services' AS receipts FROM person_requests")
            let receipts = try rows.map { try $0.decode("receipts", as: String.self) }
            #expect(receipts.count == 1 && receipts[0].contains("its key is missing"))
            #expect(services.courierRequests(to: .partners).isEmpty)
        }
        try await OrdersUnderTest.run(personalData: try box(1)) { orders, client in
            try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueErasures(asking: services.client)() == nil)
            let rows = try await orders.pool.query("SELECT receipts::text AS receipts FROM person_requests")
            #expect(try rows.allSatisfy { try !$0.decode("receipts", as: String.self).contains("its key is missing") })
        }
    }

    @Test("An ended delivery whose courier is being erased is not published again, and a live one is")
    func resync() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ended = try await Self.delivered(orders, client)
            let live = try await Self.picking(orders, client).deliveries[0].id
            try await Self.assign(live, orders, client)
            try await Self.assign(live, to: "noah", name: "Noah", orders, client)
            func republished() async throws -> Set<String> {
                try await orders.pool.withTransaction { transaction in
                    Set(
                        try await OrderRepository.republishedRows([ended.rawValue, live.rawValue], in: transaction)
                            .map { try $0.decode("republish_id") })
                }
            }
            #expect(try await republished() == [ended.rawValue, live.rawValue])
            let services = ErasingServicesByTest()
            services.answerAboutCouriers { _, _ in throw ErasingServicesByTest.Away() }
            _ = try await Self.erase(orders, client)
            #expect(try await orders.continueErasures(asking: services.client)() != nil)
            #expect(try await republished() == [live.rawValue])
            services.answerAboutCouriers { _, _ in ErasureReceipt() }
            try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueErasures(asking: services.client)() == nil)
            #expect(try await republished() == [ended.rawValue, live.rawValue])
        }
    }

    @Test("A live delivery that an erased courier had before is among the changes since, at its new version")
    func changedSince() async throws {
        try await OrdersUnderTest.run { orders, client in
            let live = try await Self.picking(orders, client).deliveries[0].id
            try await Self.assign(live, orders, client)
            let held = try await orders.send(
                client, .put, "/v1/deliveries/\(live)/hold", as: .operator, "ada",
                HoldBody(reason: CourierProblem.vehicle.reason))
            #expect(held.status == .ok)
            try await Self.assign(live, to: "noah", name: "Noah", orders, client)
            let before = try #require(try await OrderRepository.delivery(live, on: orders.pool)).delivery
            orders.clock.advance(by: 60)
            let since = WireJSON.text(of: orders.clock.domain.now)
            _ = try await Self.erased(orders, client, asking: ErasingServicesByTest())
            let page: OrdersBody = try await orders.send(
                client, .get, "/v1/orders?changedSince=\(since)", as: .operator, "ada"
            ).decode()
            #expect(page.orders.flatMap(\.deliveries).map(\.version) == [before.version + 1])
        }
    }

    @Test("A repeat after the end shows the certificate while courier-eta is away")
    func certificate() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.delivered(orders, client)
            let done = try await Self.erased(orders, client, asking: ErasingServicesByTest())
            orders.erasing.answerAboutCouriers { _, _ in throw ErasingServicesByTest.Away() }
            let again = try await Self.erase(orders, client)
            #expect(again.status == .accepted)
            #expect(try again.decode(PersonRequestBody.self).id == done.id)
        }
    }

    @Test("An id that may be anything in a text is no name, and one that is the courier's alone is")
    func ids() throws {
        func names(_ id: String, _ name: String) throws -> Set<String> {
            var texts = CourierTexts()
            texts.add(name: name, phone: nil, of: try #require(CourierID(rawValue: id)))
            return texts.names
        }
        #expect(try names("12", "12") == [] && names("2026", "2026") == [] && names("al", "al") == [])
        #expect(try names("jonas-7", "jonas-7") == ["jonas-7"])
        #expect(try names("12", "Al") == ["Al"])
    }
}

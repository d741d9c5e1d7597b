import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import Messages
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

extension CourierErasureTests {
    /// The number as the database has it: sealed, or in clear.
    static func storedPhone(_ orders: OrdersUnderTest) async throws -> String {
        let rows = try await orders.pool.query(
            "SELECT snapshot->>'phone' AS phone FROM couriers WHERE courier_id = \(courier)")
        return try #require(rows.first).decode("phone")
    }

    @Test("The database has the number of a courier whose erasure is running in the form that deliveries have")
    func runningNumber() async throws {
        for form in StoredForm.allCases {
            try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
                _ = try await Self.delivered(orders, client)
                let number = try await Self.storedPhone(orders)
                #expect(try await Self.erase(orders, client).status == .accepted)
                let rows = try await orders.pool.query(
                    "SELECT courier_texts->'phones'->>0 AS phone FROM person_requests")
                #expect(try rows.map { try $0.decode("phone", as: String?.self) } == [number])
                #expect(try await Self.hasCanary(orders).contains("person_requests"))
            }
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
}

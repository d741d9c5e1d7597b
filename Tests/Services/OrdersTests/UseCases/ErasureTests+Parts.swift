import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import Orders

extension ErasureTests {
    @Test("A part that has other deliveries after a lost answer is another part, so that none is left out")
    func changedPart() async throws {
        try await OrdersUnderTest.run { orders, client in
            for number in 0...10 {
                var body = try orders.body(bags: number < 10 ? 10 : 1, customer: Self.customer)
                body.reference = "G-\(number)"
                let order = try await orders.place(client, body)
                for delivery in order.deliveries { try await orders.set(.cancelled, delivery.id, client) }
            }
            #expect(try await Self.erase(Self.customer, orders, client).status == .accepted)
            let services = ErasingServicesByTest()
            // A service erases the deliveries with which a part's name first came; a repeat has its receipt.
            let erased = Mutex<[String: Set<String>]>([:])
            let isLost = Mutex(true)
            services.answer { service, request in
                let name = "\(service.rawValue) \(request.part)"
                erased.withLock { $0[name] = $0[name] ?? Set(request.deliveryIDs) }
                if isLost.withLock({ $0 }) { throw ErasingServicesByTest.Away() }
                return ErasureReceipt()
            }
            #expect(try await orders.continueErasures(asking: services.client)() != nil)
            for service in ErasingService.allCases {
                #expect(services[service].map(\.deliveries.count) == [ErasureRequest.deliveriesMax])
            }
            // As the retention of an order does between the two.
            let gone = "SELECT min(delivery_id) FROM deliveries" as SQL
            try await orders.pool.execute("DELETE FROM timeline WHERE delivery_id = (\(sql: gone))")
            try await orders.pool.execute("DELETE FROM deliveries WHERE delivery_id = (\(sql: gone))")
            let left = try await orders.pool.query("SELECT delivery_id FROM deliveries").map {
                try $0.decode("delivery_id", as: String.self)
            }
            #expect(left.count == ErasureRequest.deliveriesMax)
            isLost.withLock { $0 = false }
            // The pause before the services are asked again.
            try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueErasures(asking: services.client)() == nil)
            for service in ErasingService.allCases {
                let parts = erased.withLock { $0 }.filter { $0.key.hasPrefix("\(service.rawValue) ") }
                #expect(Set(left).subtracting(parts.values.flatMap(\.self)).isEmpty)
            }
        }
    }
}

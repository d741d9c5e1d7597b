import DoorstepAPI
import Foundation
import HummingbirdTesting
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Orders

extension CourierPagesTests {
    @Test("A store's hundred deliveries hide no other store's, and its picked-up ones come first")
    func ofStores() async throws {
        try await OrdersUnderTest.run(limits: OrderLimits(customerDeliveriesMax: 1_000)) { orders, client in
            for number in 1...10 {
                _ = try await orders.place(client, try orders.body(bags: 10, reference: "G-\(number)"))
            }
            let carried = try await orders.place(client, try orders.body(reference: "G-carried")).deliveries[0].id
            let last = try await orders.place(client, try orders.body(reference: "G-last")).deliveries[0].id
            try await orders.pool.execute("UPDATE deliveries SET courier_id = 'mira'")
            try await orders.pool.execute(
                """
                UPDATE deliveries SET store_id = 'valby', promise_end = promise_end + interval '1 hour'
                WHERE delivery_id = \(last.rawValue)
                """)
            // The last of its store, but for the pickup.
            try await orders.pool.execute(
                """
                UPDATE deliveries SET status = 'picked_up', courier_status = NULL,
                    promise_end = promise_end + interval '2 hours'
                WHERE delivery_id = \(carried.rawValue)
                """)
            let stops = try await CourierPressRepository.stops(
                of: Delivery.mira.id, opening: try OrdersUnderTest.personalData, on: orders.pool)
            #expect(stops.count == CourierPressRepository.stopsMax)
            #expect(stops.prefix(2).map(\.delivery.id) == [last, carried])
        }
    }
}

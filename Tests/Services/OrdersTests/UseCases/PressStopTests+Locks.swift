import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Orders

extension PressStopTests {
    @Test("A press of several bags of an order waits for one of them without holding the order, and counts")
    func locks() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body(bags: 2))
            let ids = order.deliveries.map(\.id).sorted()
            for id in ids {
                try await orders.set([.accepted, .picking, .staged], id, client)
                try await orders.assign("mira", id, client)
            }
            let mira = try #require(CourierID(rawValue: "mira"))
            let press = PressStop(change: orders.change)
            let group = PressStop.GroupRequest(id: UUID(), deliveries: ids, action: .pickedUp, heldSeconds: 10)
            let presses = try await orders.pool.withTransaction { change in
                // In a deadlock this one is the victim.
                try await change.execute("SET LOCAL deadlock_timeout = '50ms'")
                let process = try await change.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int32.self)
                _ = try await OrderRepository.lockedDelivery(ids[1], opening: nil, in: change)
                let presses = Task { try await press(group, by: mira) }
                try await eventually("the press waits for the second bag") {
                    try await !orders.pool.query(
                        "SELECT FROM pg_stat_activity WHERE \(process) = ANY(pg_blocking_pids(pid))"
                    ).isEmpty
                }
                try await change.execute(OrderRepository.recordChange(of: [order.id], at: orders.clock.domain.now))
                return presses
            }
            #expect(try await presses.value.map(\.state) == [.done, .done])
        }
    }
}

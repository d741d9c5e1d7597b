import DoorstepAPI
import OrderDomain
import Synchronization
import TestSupport
import Testing

@testable import Orders

@Suite("Pace of customers' changes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CustomerPacerTests {
    @Test("Above its burst a customer's changes are answered later, by a second at most, and another's at once")
    func pace() async throws {
        let delays = Mutex<[Duration]>([])
        // So slow that the time that passes meanwhile does not count.
        let pacer = CustomerPacer(changesPerSecond: 0.001) { delay in delays.withLock { $0.append(delay) } }
        let busy = try #require(CustomerID(rawValue: "busy"))
        let other = try #require(CustomerID(rawValue: "other"))
        for _ in 1...30 { await pacer.wait(for: busy, changes: 10) }
        #expect(delays.withLock { $0.isEmpty })
        await pacer.wait(for: busy)
        for _ in 1...3 { await pacer.wait(for: busy) }
        #expect(delays.withLock { $0.count >= 3 && $0.allSatisfy { $0 <= CustomerPacer.waitMax } })
        let before = delays.withLock { $0.count }
        await pacer.wait(for: other)
        #expect(delays.withLock { $0.count } == before)
    }

    @Test("An order counts as its deliveries and a change as one, and both are answered after the wait")
    func routes() async throws {
        let delays = Mutex(0)
        // So slow that the time that passes meanwhile does not count.
        let pacer = CustomerPacer(changesPerSecond: 0.001) { _ in delays.withLock { $0 += 1 } }
        try await OrdersUnderTest.run(customerPacer: pacer) { orders, client in
            let mette = try #require(CustomerID(rawValue: "mette"))
            await pacer.wait(for: mette, changes: Int(CustomerPacer.burst) - 1)
            let order = try await orders.place(client, try orders.body(bags: 2))
            #expect(delays.withLock { $0 } == 0)
            try await orders.set(.accepted, order.deliveries[0].id, client)
            #expect(delays.withLock { $0 } == 1)
            _ = try await orders.place(client, try orders.body(reference: "G-1043"))
            #expect(delays.withLock { $0 } == 2)
        }
    }
}

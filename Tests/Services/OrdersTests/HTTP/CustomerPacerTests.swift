import OrderDomain
import Synchronization
import Testing

@testable import Orders

@Suite("Pace of customers' changes")
struct CustomerPacerTests {
    @Test("Above its burst a customer's changes are answered later, by a second at most, and another's at once")
    func pace() async throws {
        let delays = Mutex<[Duration]>([])
        // So slow that the time that passes meanwhile does not count.
        let pacer = CustomerPacer(changesPerSecond: 0.001) { delay in delays.withLock { $0.append(delay) } }
        let crowded = try #require(CustomerID(rawValue: "crowded"))
        let other = try #require(CustomerID(rawValue: "other"))
        for _ in 1...30 { await pacer.wait(for: crowded, changes: 10) }
        #expect(delays.withLock { $0.isEmpty })
        await pacer.wait(for: crowded)
        for _ in 1...3 { await pacer.wait(for: crowded) }
        #expect(delays.withLock { $0.count >= 3 && $0.allSatisfy { $0 <= CustomerPacer.waitMax } })
        let before = delays.withLock { $0.count }
        await pacer.wait(for: other)
        #expect(delays.withLock { $0.count } == before)
    }
}

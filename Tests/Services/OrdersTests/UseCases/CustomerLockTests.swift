import OrderDomain
import Synchronization
import Testing

@testable import Orders

/// How many pieces of work run, and how many did at most.
private final class Running: Sendable {
    private struct Counts {
        var now = 0
        var most = 0
    }

    private let counts = Mutex(Counts())

    var most: Int { counts.withLock(\.most) }

    func begin() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func end() { counts.withLock { $0.now -= 1 } }
}

@Suite("Lock of a customer", .timeLimit(.minutes(10)))
struct CustomerLockTests {
    @Test("A customer's pieces of work come one after the other, and no other customer waits for them")
    func oneAtATime() async throws {
        let lock = CustomerLock()
        let (mira, noor) = (try #require(CustomerID(rawValue: "mira")), try #require(CustomerID(rawValue: "noor")))
        let running = Running()
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 {
                group.addTask {
                    try await lock(of: mira) {
                        running.begin()
                        enter.finish()
                        for await _ in opened {}
                        running.end()
                    }
                }
            }
            for await _ in entered {}
            try await lock(of: noor) {}
            open.finish()
            try await group.waitForAll()
        }
        #expect(running.most == 1)
    }

    @Test("Work that fails releases the lock to the next")
    func failing() async throws {
        struct Failure: Error {}
        let lock = CustomerLock()
        let mira = try #require(CustomerID(rawValue: "mira"))
        await #expect(throws: Failure.self) { try await lock(of: mira) { throw Failure() } }
        #expect(try await lock(of: mira) { 7 } == 7)
    }
}

import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import Synchronization
import Testing

@testable import ActivityDispatch

/// Applies nothing, but records what it is given; on request it waits with one customer's.
private final class Recorder: Sendable {
    private struct State {
        var groups: [[Intent]] = []
        var waitsFor: CustomerID?
        var running: Set<CustomerID> = []
        var hasOverlapped = false
    }

    private let state = Mutex(State())
    private let gate = AsyncStream.makeStream(of: Void.self)

    var groups: [[Intent]] { state.withLock(\.groups) }
    /// Whether two groups with one customer's intents were applied at once.
    var hasOverlapped: Bool { state.withLock(\.hasOverlapped) }

    /// From now on a group of this customer's waits until the gate opens.
    func wait(for customer: CustomerID) { state.withLock { $0.waitsFor = customer } }

    func open() { gate.continuation.finish() }

    func apply(_ intents: [Intent]) async throws {
        let customers = Set(intents.map(\.customer))
        let waits = state.withLock { state in
            state.groups.append(intents)
            if !state.running.isDisjoint(with: customers) { state.hasOverlapped = true }
            state.running.formUnion(customers)
            return state.waitsFor.map(customers.contains) ?? false
        }
        defer { state.withLock { $0.running.subtract(customers) } }
        await Task.yield()
        if waits { for await _ in gate.stream {} }
        if intents.contains(where: { $0.writer == .activityDispatch }) { throw RejectedMessage("a bad one") }
    }
}

@Suite("Batches of intents", .timeLimit(.minutes(10)))
struct IntentBatcherTests {
    private func intent(
        _ version: Int = 1, of delivery: DeliveryID = DeliveryID(UUID()),
        for customer: CustomerID = DispatchUnderTest.mira, writer: Writer = .orders
    ) -> Intent {
        let id = ActivityID(delivery, episode: 1)
        return Intent(
            activity: id, customer: customer, delivery: delivery, writer: writer,
            step: .shows(version, activity: id.rawValue))
    }

    /// A batcher for which a customer with more than two intents is hot, for as long as the test takes.
    private func batcher(_ recorder: Recorder) -> IntentBatcher {
        var configuration = IntentBatcher.Configuration()
        configuration.customerBurst = 2
        configuration.customerPerSecond = 1e-6
        configuration.hotTransactionsMax = 1
        let start = ContinuousClock.now
        return IntentBatcher(configuration: configuration, now: { start }) {
            try await recorder.apply($0.map(\.intent))
        }
    }

    @Test("While intents of a customer with many wait, another's are applied")
    func others() async throws {
        let recorder = Recorder()
        let batcher = batcher(recorder)
        for _ in 1...2 { try await batcher(intent()) }
        recorder.wait(for: DispatchUnderTest.mira)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...20 {
                let hot = intent()
                group.addTask { try await batcher(hot) }
            }
            // The hot ones are waiting now, or will be: neither keeps these waiting.
            for _ in 1...2 { try await batcher(intent(for: DispatchUnderTest.noor)) }
            recorder.open()
            try await group.waitForAll()
        }
        let mixed = recorder.groups.filter { Set($0.map(\.customer)).count > 1 }
        #expect(mixed.isEmpty)
        #expect(recorder.groups.joined().count == 24)
    }

    @Test("While one transaction takes its time another customer's intents are applied, and the same customer's wait")
    func beside() async throws {
        let recorder = Recorder()
        let batcher = IntentBatcher { try await recorder.apply($0.map(\.intent)) }
        recorder.wait(for: DispatchUnderTest.mira)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let first = intent()
            group.addTask { try await batcher(first) }
            while recorder.groups.isEmpty { await Task.yield() }
            for number in 1...60 {
                let one = intent(for: try #require(CustomerID(rawValue: "customer-\(number % 7)")))
                group.addTask { try await batcher(one) }
                if number.isMultiple(of: 10) {
                    let held = intent()
                    group.addTask { try await batcher(held) }
                }
            }
            try await batcher(intent(for: DispatchUnderTest.noor))
            recorder.open()
            try await group.waitForAll()
        }
        #expect(!recorder.hasOverlapped)
        #expect(recorder.groups.joined().count == 68)
    }

    @Test("Of a hot customer's waiting intents the newest of each activity is applied, and the others are settled")
    func newest() async throws {
        let recorder = Recorder()
        let batcher = batcher(recorder)
        for _ in 1...2 { try await batcher(intent()) }
        recorder.wait(for: DispatchUnderTest.mira)
        let delivery = DeliveryID(UUID())
        let running = intent()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await batcher(running) }
            while recorder.groups.count < 3 { await Task.yield() }
            let versions = [1, 3, 2].map { intent($0, of: delivery) }
            for version in versions { group.addTask { try await batcher(version) } }
            // Two of the three return although nothing is applied: a newer one waits.
            for _ in 1...2 { try await group.next() }
            recorder.open()
            try await group.waitForAll()
        }
        let applied = recorder.groups.joined().filter { $0.delivery == delivery }
        #expect(applied.map(\.step) == [intent(3, of: delivery).step])
    }

    @Test("As many of a hot customer's waiting intents share a transaction as of many customers")
    func hotBatch() async throws {
        let recorder = Recorder()
        let batcher = batcher(recorder)
        for _ in 1...2 { try await batcher(intent()) }
        recorder.wait(for: DispatchUnderTest.mira)
        let running = intent()
        let deliveries = (0..<IntentBatcher.Configuration().batchMax).map { _ in DeliveryID(UUID()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await batcher(running) }
            while recorder.groups.count < 3 { await Task.yield() }
            for delivery in deliveries {
                for version in [intent(1, of: delivery), intent(2, of: delivery)] {
                    group.addTask { try await batcher(version) }
                }
            }
            // One of the two versions of each delivery returns as soon as both have arrived.
            for _ in deliveries { try await group.next() }
            recorder.open()
            try await group.waitForAll()
        }
        #expect(recorder.groups.last?.count == deliveries.count)
    }

    @Test("An intent that cannot be applied fails alone, and those beside it are applied")
    func oneBad() async throws {
        let recorder = Recorder()
        let batcher = IntentBatcher { try await recorder.apply($0.map(\.intent)) }
        recorder.wait(for: DispatchUnderTest.noor)
        let (first, bad, good) = (intent(for: DispatchUnderTest.noor), intent(writer: .activityDispatch), intent())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            func add(_ intent: Intent) {
                group.addTask {
                    do { try await batcher(intent) } catch is RejectedMessage { return false }
                    return true
                }
            }
            add(first)
            while recorder.groups.isEmpty { await Task.yield() }
            add(bad)
            add(good)
            recorder.open()
            var results: [Bool] = []
            for try await isApplied in group { results.append(isApplied) }
            #expect(results.filter { !$0 }.count == 1)
        }
        #expect(recorder.groups.contains([good]) || recorder.groups.contains { $0.contains(good) && !$0.contains(bad) })
    }
}

import Foundation
import Synchronization
import Testing

@testable import NatsClient
@testable import ReliableMessaging

/// A process that dies at its nth step: from then on nothing it does has an effect.
private final class Process: Sendable {
    struct Died: Error {}

    private let stepsLeft: Mutex<Int>

    init(diesAtStep step: Int?) { stepsLeft = Mutex(step ?? .max) }

    func step() throws {
        try stepsLeft.withLock { left in
            guard left > 0 else { throw Died() }
            left -= 1
        }
    }

    var isDead: Bool { stepsLeft.withLock { $0 == 0 } }
}

/// The table and the broker, which outlive every process.
private final class World: Sendable {
    struct Row {
        var message: OutboxMessage
        var leasedUntil = 0
    }

    struct State {
        var now = 0
        var rows: [UUID: Row] = [:]
        /// How often each message arrived at the broker.
        var arrivals: [String: Int] = [:]
        /// What a stream that recognises ids holds.
        var stored: [String] = []
        /// Arrivals whose acknowledgement gets lost, counted down.
        var lostAcknowledgements = 0
    }

    let state: Mutex<State>
    let ids: Set<String>

    init(rows count: Int, lostAcknowledgements: Int = 0) {
        let messages = (0..<count).map { OutboxMessage(subject: "a.\($0)", payload: []) }
        var state = State()
        state.rows = Dictionary(uniqueKeysWithValues: messages.map { ($0.id, Row(message: $0)) })
        state.lostAcknowledgements = lostAcknowledgements
        self.state = Mutex(state)
        ids = Set(messages.map { $0.id.uuidString.lowercased() })
    }

    func passTime(_ seconds: Int) { state.withLock { $0.now += seconds } }
    var isEmpty: Bool { state.withLock { $0.rows.isEmpty } }
    var stored: [String] { state.withLock { $0.stored } }
    var arrivals: [String: Int] { state.withLock { $0.arrivals } }
}

private struct MemoryStore: OutboxStore {
    let world: World
    let process: Process

    func lease(rowsMax: Int, for duration: Duration) async throws -> [UnsentRow] {
        try process.step()
        let rows = world.state.withLock { state in
            let free = state.rows.values.filter { $0.leasedUntil <= state.now }.prefix(rowsMax)
            for row in free { state.rows[row.message.id]?.leasedUntil = state.now + Int(duration.components.seconds) }
            return free.map { UnsentRow(message: $0.message, attempts: 0, age: .zero) }
        }
        try process.step()
        return rows
    }

    func settle(_ outcomes: [(row: UnsentRow, outcome: PublishOutcome)]) async throws {
        try process.step()
        world.state.withLock { state in
            for (row, outcome) in outcomes {
                switch outcome {
                case .published: state.rows[row.message.id] = nil
                default: state.rows[row.message.id]?.leasedUntil = state.now
                }
            }
        }
        try process.step()
    }
}

private struct MemoryPublisher: OutboxPublisher {
    let world: World
    let process: Process
    /// What others do while the messages are on their way.
    var meanwhile: @Sendable () async -> Void = {}

    func publish(_ messages: [OutgoingMessage], timeout: Duration) async -> [Result<PublishAck, NatsError>] {
        await meanwhile()
        return messages.map { message in
            let lost = Result<PublishAck, NatsError>.failure(NatsError(.timedOut, "lost", operation: "publishing"))
            guard (try? process.step()) != nil else { return lost }
            return world.state.withLock { state in
                let id = message.messageID ?? ""
                state.arrivals[id, default: 0] += 1
                let isDuplicate = state.stored.contains(id)
                if !isDuplicate { state.stored.append(id) }
                if state.lostAcknowledgements > 0 {
                    state.lostAcknowledgements -= 1
                    return lost
                }
                return .success(PublishAck(stream: "S", sequence: 1, isDuplicate: isDuplicate))
            }
        }
    }
}

@Suite("Relay, killed between any two steps")
struct RelayCrashTests {
    private static let leaseSeconds = 15
    private static let rows = 5

    private func pass(
        _ world: World, _ process: Process, meanwhile: @escaping @Sendable () async -> Void = {}
    ) -> RelayBatch<MemoryStore, MemoryPublisher> {
        RelayBatch(
            store: MemoryStore(world: world, process: process),
            publisher: MemoryPublisher(world: world, process: process, meanwhile: meanwhile), rowsMax: 3,
            leaseDuration: .seconds(Self.leaseSeconds), publishTimeout: .seconds(5), attemptsMax: 3)
    }

    /// Passes until nothing is left to lease, or the process dies.
    private func run(_ world: World, _ process: Process) async {
        while let outcome = try? await pass(world, process).run(), outcome.leased > 0 {}
    }

    /// Each message is stored, and once.
    private func expectComplete(_ world: World, _ scenario: Comment) {
        #expect(world.isEmpty, scenario)
        #expect(world.stored.count == world.ids.count, scenario)
        #expect(Set(world.stored) == world.ids, scenario)
    }

    @Test("Two replicas die one after the other, at any two steps: every message is stored, and once")
    func everyPairOfSteps() async {
        // Steps of one process that survives: per pass, two to lease, one per message, two to settle.
        var deaths = 0
        for first in 0..<24 {
            for second in 0..<24 {
                for wait in [0, Self.leaseSeconds] {
                    let world = World(rows: Self.rows, lostAcknowledgements: second % 3)
                    for step in [first, second] {
                        let process = Process(diesAtStep: step)
                        await run(world, process)
                        if process.isDead { deaths += 1 }
                        world.passTime(wait)
                    }
                    world.passTime(Self.leaseSeconds)
                    await run(world, Process(diesAtStep: nil))
                    expectComplete(world, "died at steps \(first) and \(second), \(wait) s between")
                }
            }
        }
        #expect(deaths > 600)
    }

    @Test("A process that dies after publishing makes a repetition, which the broker recognises")
    func repetition() async {
        let world = World(rows: 1)
        await run(world, Process(diesAtStep: 3))
        #expect(world.stored.count == 1)
        #expect(!world.isEmpty)
        world.passTime(Self.leaseSeconds)
        await run(world, Process(diesAtStep: nil))
        #expect(world.arrivals.values.allSatisfy { $0 == 2 })
        expectComplete(world, "published twice")
    }

    @Test("Nobody publishes what another has leased")
    func leased() async throws {
        let world = World(rows: 2)
        await run(world, Process(diesAtStep: 2))
        let outcome = try await pass(world, Process(diesAtStep: nil)).run()
        #expect(outcome.leased == 0)
        #expect(world.arrivals.isEmpty)
    }

    @Test("A relay so slow that its lease ran out does no harm when it goes on")
    func slow() async throws {
        let world = World(rows: 3)
        let other = Process(diesAtStep: nil)
        let slow = pass(world, Process(diesAtStep: nil)) {
            world.passTime(Self.leaseSeconds)
            await run(world, other)
        }
        _ = try await slow.run()
        #expect(world.arrivals.values.allSatisfy { $0 == 2 })
        expectComplete(world, "two relays at once")
    }

    @Test("When no message can be published, the batch reports the connection's error")
    func outage() async throws {
        let world = World(rows: 3, lostAcknowledgements: 3)
        let outcome = try await pass(world, Process(diesAtStep: nil)).run()
        #expect(outcome.connectionError != nil)
        #expect(outcome.postponed == 3)
        #expect(!world.isEmpty)
    }
}

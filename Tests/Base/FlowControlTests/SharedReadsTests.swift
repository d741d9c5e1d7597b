import FlowControl
import Synchronization
import Testing

@Suite("Reads that callers share", .timeLimit(.minutes(5)))
struct SharedReadsTests {
    /// A clock that stands still until it is moved.
    private final class StillClock: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { instant.withLock { $0 } }

        func advance(by duration: Duration) { instant.withLock { $0 += duration } }
    }

    private struct Unread: Error {}

    /// Reads with the number of their run, counted from 1.
    private final class CountedReads: Sendable {
        private let count = Atomic(0)
        private let reads: SharedReads<String, Int>

        init(_ reads: SharedReads<String, Int>) { self.reads = reads }

        func callAsFunction(_ key: String) async -> Int {
            await reads.answer(of: key) {
                await Task.yield()
                return count.add(1, ordering: .relaxed).newValue
            }
        }
    }

    @Test("A key is read once for those who wait and for a time after, each key by itself")
    func kept() async throws {
        let clock = StillClock()
        let read = CountedReads(.init(keysMax: 10, keptFor: .seconds(1), now: { clock.now }))
        let answers = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { await read("a") } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(answers == [1])
        #expect(await read("b") == 2)
        clock.advance(by: .seconds(1))
        #expect(await read("a") == 3)
    }

    @Test("An answer's age counts from the beginning of its read")
    func age() async {
        let clock = StillClock()
        let reads = SharedReads<String, Int>(keysMax: 10, keptFor: .seconds(1), now: { clock.now })
        let first = await reads.answer(of: "a") {
            clock.advance(by: .seconds(1))
            return 1
        }
        #expect(first == 1)
        #expect(await reads.answer(of: "a") { 2 } == 2)
    }

    @Test("Without a time to keep answers the next caller reads again, after a failure too")
    func unkept() async throws {
        let reads = SharedReads<String, Result<Int, any Error>>(keysMax: 10)
        await #expect(throws: Unread.self) { try await reads.value(of: "a") { () -> Int in throw Unread() } }
        #expect(try await reads.value(of: "a") { 1 } == 1)
        #expect(try await reads.value(of: "a") { 2 } == 2)
    }

    @Test("A failure is not kept: the next caller reads again")
    func failure() async throws {
        let reads = SharedReads<String, Result<Int, any Error>>(keysMax: 10, keptFor: .seconds(600))
        await #expect(throws: Unread.self) { try await reads.value(of: "a") { () -> Int in throw Unread() } }
        #expect(try await reads.value(of: "a") { 1 } == 1)
        #expect(try await reads.value(of: "a") { 2 } == 1)
    }

    @Test("A running read is waited for by those of its key alone")
    func running() async {
        let reads = SharedReads<String, Int>(keysMax: 1)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let answers = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                await reads.answer(of: "a") {
                    beginning.finish()
                    for await _ in gate {}
                    return 1
                }
            }
            for await _ in begun {}
            var answers = [await reads.answer(of: "b") { 2 }]
            opening.finish()
            for await answer in group { answers.append(answer) }
            return answers
        }
        #expect(answers == [2, 1])
    }
}

import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite("Requests that share transactions", .timeLimit(.minutes(5)))
struct GroupCommitTests {
    private struct Request: Sendable {
        let key: Int
        var number = 0
        var weight = 1
    }

    private struct Poison: Error {}

    /// A transaction that records its requests, and ends when the test lets it.
    private final class GatedTransactions: Sendable {
        private struct Running {
            let requests: [Request]
            let end: CheckedContinuation<Void, any Error>
        }

        private let running = Mutex<[Running]>([])
        private let (begun, beginning) = AsyncStream.makeStream(of: Void.self)

        func commit(_ requests: [Request]) async throws -> [Int] {
            try await withCheckedThrowingContinuation { end in
                running.withLock { $0.append(Running(requests: requests, end: end)) }
                beginning.yield()
            }
            return requests.map(\.number)
        }

        /// Waits until so many have begun, and returns their requests' numbers.
        func begun(_ count: Int) async -> [[Int]] {
            var iterator = begun.makeAsyncIterator()
            for _ in 0..<count { _ = await iterator.next() }
            return running.withLock { $0.map { $0.requests.map(\.number) } }
        }

        func end(throwing error: (any Error)? = nil) {
            let all = running.withLock { running in
                defer { running = [] }
                return running
            }
            for one in all {
                if let error { one.end.resume(throwing: error) } else { one.end.resume() }
            }
        }
    }

    @Test("The first request starts at once; what arrives meanwhile shares the next transaction, in order")
    func shared() async throws {
        let transactions = GatedTransactions()
        let requests = GroupCommit(
            .init(transactionsMax: 1, requestsMax: 3), key: \Request.key, commit: { try await transactions.commit($0) })
        async let first = requests(Request(key: 0, number: 0))
        #expect(await transactions.begun(1) == [[0]])
        let others = (1...4).map { number in Task { try await requests(Request(key: number, number: number)) } }
        try await eventually("4 wait") { await requests.waiting == 4 }
        transactions.end()
        #expect(try await first == 0)
        let second = await transactions.begun(1)
        #expect(second.count == 1 && second[0].count == 3)
        transactions.end()
        #expect(await transactions.begun(1).map(\.count) == [1])
        transactions.end()
        for (number, other) in zip(1..., others) { #expect(try await other.value == number) }
    }

    @Test("Requests that come together share a transaction, and each has its own outcome")
    func gathered() async throws {
        struct Odd: Error {}
        let groups = Mutex<[[Int]]>([])
        let requests = GroupCommit<Request, Int, Int>(.init(transactionsMax: 2, requestsMax: 3), key: \.key) { group in
            groups.withLock { $0.append(group.map(\.number)) }
            if group.contains(where: { $0.number == 1 }) { throw Odd() }
            return group.map(\.number)
        }
        let outcomes = await requests.outcomes(of: (0..<4).map { Request(key: $0, number: $0) })
        #expect(outcomes.map { try? $0.get() } == [0, nil, 2, 3])
        #expect(groups.withLock { Set($0) } == [[0, 1, 2], [3], [0], [1], [2]])
        #expect(await requests.outcomes(of: []).isEmpty)
    }

    @Test("Requests about one thing are never in two transactions at once, nor more than their weight allows in one")
    func busy() async throws {
        let transactions = GatedTransactions()
        var configuration = GroupCommit<Request, Int, Int>.Configuration(transactionsMax: 2, requestsMax: 10)
        configuration.weightMax = 5
        let requests = GroupCommit(
            configuration, key: \Request.key, weight: \.weight, commit: { try await transactions.commit($0) })
        async let first = requests(Request(key: 7, number: 1))
        #expect(await transactions.begun(1) == [[1]])
        async let same = requests(Request(key: 7, number: 2))
        try await eventually("1 wait") { await requests.waiting == 1 }
        async let heavy = requests(Request(key: 8, number: 3, weight: 9))
        #expect(await transactions.begun(1) == [[1], [3]])
        transactions.end()
        #expect(await transactions.begun(1) == [[2]])
        transactions.end()
        let outcomes = try await [first, same, heavy]
        #expect(outcomes == [1, 2, 3])
    }

    @Test("Requests of one key keep their order where a later one would fit into a transaction and an earlier one not")
    func orderOfKey() async throws {
        let transactions = GatedTransactions()
        var configuration = GroupCommit<Request, Int, Int>.Configuration(transactionsMax: 1, requestsMax: 10)
        configuration.weightMax = 5
        let requests = GroupCommit(
            configuration, key: \Request.key, weight: \.weight, commit: { try await transactions.commit($0) })
        async let first = requests(Request(key: 1, number: 1))
        #expect(await transactions.begun(1) == [[1]])
        async let others = requests.outcomes(of: [
            Request(key: 2, number: 2, weight: 3), Request(key: 3, number: 3, weight: 3),
            Request(key: 3, number: 4, weight: 1),
        ])
        try await eventually("3 wait") { await requests.waiting == 3 }
        transactions.end()
        #expect(await transactions.begun(1) == [[2]])
        transactions.end()
        #expect(await transactions.begun(1) == [[3, 4]])
        transactions.end()
        #expect(try await first == 1)
        #expect(try await others.map { try $0.get() } == [2, 3, 4])
    }

    @Test("A request that fails permanently does not fail the others; a failure that passes is everybody's")
    func poison() async throws {
        let isAway = Mutex(false)
        let requests = GroupCommit<Request, Int, Int>(.init(transactionsMax: 1, requestsMax: 10), key: \.key) { group in
            if isAway.withLock({ $0 }) { throw PostgresError(.connection, "away") }
            if group.contains(where: { $0.number < 0 }) { throw Poison() }
            return group.map(\.number)
        }
        await withTaskGroup { group in
            for number in [1, -2, 3, -4, 5] {
                group.addTask { (number, try? await requests(Request(key: number, number: number))) }
            }
            for await (number, outcome) in group { #expect(outcome == (number > 0 ? number : nil)) }
        }
        isAway.withLock { $0 = true }
        await #expect(throws: PostgresError.self) { try await requests(Request(key: 1, number: 1)) }
    }

    @Test("A failure that is of no request by itself is everybody's, and none is tried alone")
    func together() async throws {
        let transactions = GatedTransactions()
        let requests = GroupCommit<Request, Int, Int>(
            .init(transactionsMax: 1, requestsMax: 10), key: \.key, failsTogether: { $0 is Poison },
            commit: { try await transactions.commit($0) })
        async let first = requests(Request(key: 1, number: 1))
        #expect(await transactions.begun(1) == [[1]])
        async let second = try? requests(Request(key: 2, number: 2))
        async let third = try? requests(Request(key: 3, number: 3))
        try await eventually("2 wait") { await requests.waiting == 2 }
        transactions.end()
        #expect(await transactions.begun(1).map { Set($0) } == [[2, 3]])
        transactions.end(throwing: Poison())
        #expect(try await first == 1)
        let failed = await [second, third]
        #expect(failed == [nil, nil])
    }

    @Test("A statement time-out that two requests meet alone too fails the rest of their group, without their turns")
    func outage() async throws {
        let groups = Mutex<[Int]>([])
        let requests = GroupCommit<Request, Int, Int>(.init(transactionsMax: 1, requestsMax: 10), key: \.key) { group in
            groups.withLock { $0.append(group.count) }
            throw PostgresError(.statement(sqlState: "57014"), "canceling statement due to statement timeout")
        }
        let outcomes = await requests.outcomes(of: (0..<5).map { Request(key: $0, number: $0) })
        for outcome in outcomes {
            let error = #expect(throws: PostgresError.self) { try outcome.get() }
            #expect(error?.sqlState == "57014")
        }
        #expect(outcomes.count == 5)
        #expect(groups.withLock { $0 } == [5, 1, 1])
    }

    @Test("A request that waits too long by itself fails alone")
    func slowRequest() async throws {
        let requests = GroupCommit<Request, Int, Int>(.init(transactionsMax: 1, requestsMax: 10), key: \.key) { group in
            if group.contains(where: { $0.key == 1 }) {
                throw PostgresError(.statement(sqlState: "57014"), "canceling statement due to statement timeout")
            }
            return group.map(\.number)
        }
        let outcomes = await requests.outcomes(of: (0..<5).map { Request(key: $0, number: $0) })
        // The one that fails has no number.
        #expect(outcomes.map { try? $0.get() } == [0, nil, 2, 3, 4])
    }

    @Test(
        "A server without writes, a pool that is shut down and interrupted work are everybody's failure at once",
        arguments: [PostgresError.Code.statement(sqlState: "25006"), .closed, .cancelled])
    func failsTogether(_ code: PostgresError.Code) async throws {
        let groups = Mutex<[Int]>([])
        let requests = GroupCommit<Request, Int, Int>(.init(transactionsMax: 1, requestsMax: 10), key: \.key) { group in
            groups.withLock { $0.append(group.count) }
            throw PostgresError(code, "away")
        }
        let outcomes = await requests.outcomes(of: (0..<5).map { Request(key: $0, number: $0) })
        #expect(outcomes.count == 5)
        #expect(outcomes.allSatisfy { (try? $0.get()) == nil })
        #expect(groups.withLock { $0 } == [5])
    }

    /// A clock that stands, and waits that end when the test lets them.
    private final class Pace: Sendable {
        private let time = Mutex(ContinuousClock.now)
        private let waits = Mutex<[CheckedContinuation<Void, Never>]>([])
        private let (begun, beginning) = AsyncStream.makeStream(of: Duration.self)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func wait(for rest: Duration) async {
            await withCheckedContinuation { end in
                waits.withLock { $0.append(end) }
                beginning.yield(rest)
            }
        }

        /// Waits until a wait has begun, and returns how long it is.
        func begunWait() async -> Duration? { await begun.first { _ in true } }

        func advance(by duration: Duration) { time.withLock { $0 += duration } }

        func endWaits() {
            let all = waits.withLock { waits in
                defer { waits = [] }
                return waits
            }
            for one in all { one.resume() }
        }
    }

    @Test("What arrives within a transaction's interval shares the next one, and a full group does not wait")
    func interval() async throws {
        let (transactions, pace) = (GatedTransactions(), Pace())
        let requests = GroupCommit(
            .init(transactionsMax: 2, requestsMax: 3, interval: .milliseconds(5)), key: \Request.key,
            now: { pace.now }, wait: { await pace.wait(for: $0) }, commit: { try await transactions.commit($0) })
        func request(_ number: Int) -> Task<Int, any Error> {
            Task { try await requests(Request(key: number, number: number)) }
        }
        let first = request(0)
        #expect(await transactions.begun(1) == [[0]], "alone, it begins at once")
        pace.advance(by: .milliseconds(3))
        let second = request(1)
        #expect(await pace.begunWait() == .milliseconds(2))
        transactions.end()
        _ = try await first.value
        let third = request(2)
        try await eventually("2 wait, though no transaction runs") { await requests.waiting == 2 }
        pace.advance(by: .milliseconds(2))
        pace.endWaits()
        #expect(await transactions.begun(1).map { Set($0) } == [[1, 2]])
        pace.advance(by: .milliseconds(9))
        let fourth = request(3)
        #expect(await pace.begunWait() == .milliseconds(1), "two requests have twice the interval")
        let others = (4...5).map(request)
        #expect(await transactions.begun(1).last.map { Set($0) } == [3, 4, 5], "a full group does not wait")
        transactions.end()
        for (number, one) in zip(1..., [second, third, fourth] + others) { #expect(try await one.value == number) }
        pace.advance(by: .milliseconds(15))
        let last = request(6)
        #expect(await transactions.begun(1) == [[6]])
        transactions.end()
        _ = try await last.value
        pace.endWaits()
    }

    @Test("An interval has its bound, however many requests the transaction had")
    func intervalMax() async throws {
        let (transactions, pace) = (GatedTransactions(), Pace())
        let requests = GroupCommit(
            .init(transactionsMax: 2, requestsMax: 20, interval: .milliseconds(5)), key: \Request.key,
            now: { pace.now }, wait: { await pace.wait(for: $0) }, commit: { try await transactions.commit($0) })
        async let many = requests.outcomes(of: (0..<20).map { Request(key: $0, number: $0) })
        #expect(await transactions.begun(1).map(\.count) == [20])
        async let next = requests(Request(key: 20, number: 20))
        #expect(await pace.begunWait() == .milliseconds(25))
        pace.advance(by: .milliseconds(25))
        pace.endWaits()
        #expect(await transactions.begun(1).last == [20])
        transactions.end()
        #expect(await many.count == 20)
        #expect(try await next == 20)
    }

    @Test("More than may wait are refused at once, and what waits is not affected")
    func full() async throws {
        let transactions = GatedTransactions()
        var configuration = GroupCommit<Request, Int, Int>.Configuration(transactionsMax: 1, requestsMax: 10)
        configuration.waitersMax = 1
        let requests = GroupCommit(configuration, key: \Request.key, commit: { try await transactions.commit($0) })
        async let first = requests(Request(key: 1, number: 1))
        #expect(await transactions.begun(1) == [[1]])
        async let second = requests(Request(key: 2, number: 2))
        try await eventually("1 wait") { await requests.waiting == 1 }
        let error = await #expect(throws: PostgresError.self) { try await requests(Request(key: 3, number: 3)) }
        #expect(error?.code == .poolExhausted)
        transactions.end()
        #expect(await transactions.begun(1) == [[2]])
        transactions.end()
        let outcomes = try await [first, second]
        #expect(outcomes == [1, 2])
    }
}

import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Durable timers", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct TimerTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_790_000_000))

    private func runner(
        _ pool: PostgresPool, clock: DomainClock? = nil, kinds: [String] = ["nudge"],
        _ adjust: (inout TimerRunner.Configuration) -> Void = { _ in }, handler: @escaping TimerRunner.Handler
    ) -> TimerRunner {
        var configuration = TimerRunner.Configuration()
        adjust(&configuration)
        return TimerRunner(
            pool: pool, clock: clock ?? self.clock.domain,
            handlers: Dictionary(uniqueKeysWithValues: kinds.map { ($0, handler) }), configuration: configuration,
            logger: .silent, jitter: { 0 })
    }

    private func timer(_ key: String = "a", after seconds: TimeInterval = 0, _ payload: [UInt8] = [1]) -> DurableTimer {
        DurableTimer(kind: "nudge", key: key, dueAt: start + seconds, payload: payload)
    }

    private func lease(_ pool: PostgresPool) async throws -> LeasedTimer {
        let leased = try await TimerStore(pool: pool).lease(
            UUID(), kinds: ["nudge"], dueBy: clock.now, timersMax: 1, for: .seconds(600))
        return try #require(leased.first)
    }

    private func complete(_ leased: LeasedTimer, _ pool: PostgresPool) async throws -> Bool {
        try await pool.withTransaction {
            try await TimerStore(pool: pool).complete(leased, lockTimeout: .seconds(1), in: $0)
        }
    }

    @Test("It fires when the domain clock shows its time, not before, once, and with what it was set with")
    func fires() async throws {
        try await withTables { pool in
            let fired = Log<DurableTimer>()
            let runner = runner(pool) { timer, _ in fired.append(timer) }
            let first = timer("a", after: 10, [1, 2])
            try await pool.schedule([first, timer("b", after: 20)])
            #expect(try await runner.fireDue() == 0)
            clock.advance(by: 10)
            #expect(try await runner.fireDue() == 1)
            #expect(try await runner.fireDue() == 0)
            #expect(fired.all == [first])
            #expect(try await count("timers", pool) == 1)
        }
    }

    @Test("Setting it again replaces it")
    func replaces() async throws {
        try await withTables { pool in
            let fired = Log<DurableTimer>()
            let runner = runner(pool) { timer, _ in fired.append(timer) }
            try await pool.schedule(timer(after: 10, [1]))
            try await pool.schedule(timer(after: 30, [2]))
            clock.advance(by: 10)
            #expect(try await runner.fireDue() == 0)
            clock.advance(by: 20)
            #expect(try await runner.fireDue() == 1)
            #expect(fired.all == [timer(after: 30, [2])])
        }
    }

    @Test("One that was rescheduled or cancelled after it was leased does not fire with what it was")
    func fenced() async throws {
        try await withTables { pool in
            try await pool.schedule(timer())
            let rescheduled = try await lease(pool)
            try await pool.schedule(timer(after: 0, [2]))
            #expect(try await !complete(rescheduled, pool))

            let cancelled = try await lease(pool)
            #expect(cancelled.timer.payload == [2])
            #expect(try await pool.cancelTimer(kind: "nudge", key: "a"))
            #expect(try await !complete(cancelled, pool))
            #expect(try await !pool.cancelTimer(kind: "nudge", key: "a"))

            try await pool.schedule(timer())
            let late = try await lease(pool)
            try await endLeases(pool)
            let other = try await lease(pool)
            #expect(try await !complete(late, pool))
            #expect(try await complete(other, pool))
        }
    }

    @Test("What was fenced off neither counts a failure nor makes a dead letter")
    func fencedFailure() async throws {
        try await withTables { pool in
            try await pool.schedule(timer())
            let old = try await lease(pool)
            try await pool.schedule(timer(after: 5))
            let store = TimerStore(pool: pool)
            try await store.release(old, after: .seconds(60), error: "late", countsAttempt: true)
            try await store.deadLetter(old, error: "late")
            #expect(try await count("dead_letters", pool) == 0)
            #expect(try await pool.query("SELECT FROM timers WHERE attempts = 0 AND last_error IS NULL").count == 1)
        }
    }

    @Test("What its handler writes is there exactly if the timer is gone")
    func oneTransaction() async throws {
        try await withTables { pool in
            try await pool.schedule([timer("good"), timer("bad")])
            let runner = runner(pool) { timer, transaction in
                try await transaction.enqueue(OutboxMessage(subject: timer.key, payload: []))
                if timer.key == "bad" { throw HandlerFailure() }
            }
            #expect(try await runner.fireDue() == 1)
            #expect(try await pool.query("SELECT FROM outbox WHERE subject = 'good'").count == 1)
            #expect(try await count("outbox", pool) == 1)
            #expect(try await pool.query("SELECT FROM timers WHERE key = 'bad' AND attempts >= 1").count == 1)
        }
    }

    @Test("Its handler may set it again")
    func recurring() async throws {
        try await withTables { pool in
            let runner = runner(pool) { timer, transaction in
                var next = timer
                next.dueAt += 60
                try await transaction.schedule(next)
            }
            try await pool.schedule(timer())
            for _ in 0..<3 {
                #expect(try await runner.fireDue() == 1)
                clock.advance(by: 60)
            }
            #expect(try await count("timers", pool) == 1)
        }
    }

    @Test("A handler that keeps failing makes a dead letter, which can be set again")
    func dead() async throws {
        try await withTables { pool in
            try await pool.schedule(timer("a", after: 0, [9]))
            let runner = runner(pool, { $0.attemptsMax = 3 }) { _, _ in throw HandlerFailure() }
            for _ in 0..<3 {
                try await runner.fireDue()
                try await endLeases(pool)
            }
            #expect(try await count("timers", pool) == 0)
            let letters = DeadLetters(pool: pool)
            let letter = try #require(await letters.list().deadLetters.first)
            #expect(letter.origin == .timer)
            #expect(letter.subject == "nudge")
            #expect(letter.messageID == "a")
            #expect(letter.attempts == 3)
            #expect(letter.error.contains("HandlerFailure"))

            try await letters.retry(letter.id)
            let fired = Log<DurableTimer>()
            let mended = self.runner(pool) { timer, _ in fired.append(timer) }
            #expect(try await mended.fireDue() == 1)
            #expect(fired.all == [timer("a", after: 0, [9])])
        }
    }

    @Test("An outage of a dependency is never counted")
    func outage() async throws {
        try await withTables { pool in
            try await pool.schedule(timer())
            let runner = runner(pool, { $0.attemptsMax = 1 }) { _, _ in throw PostgresError(.connection, "away") }
            for _ in 0..<5 {
                #expect(try await runner.fireDue() == 0)
                try await endLeases(pool)
            }
            #expect(try await pool.query("SELECT FROM timers WHERE attempts = 0").count == 1)
        }
    }

    @Test("Replicas share the timers: each fires once")
    func replicas() async throws {
        try await withTables { pool in
            try await pool.schedule((0..<60).map { timer("\($0)") })
            let fired = Log<String>()
            let runners = (0..<3).map { _ in
                runner(pool, { $0.timersInFlightMax = 2 }) { timer, transaction in
                    try await transaction.enqueue(OutboxMessage(subject: timer.key, payload: []))
                    fired.append(timer.key)
                }
            }
            try await withThrowingTaskGroup { group in
                for runner in runners { group.addTask { try await runner.fireDue() } }
                try await group.waitForAll()
            }
            #expect(fired.all.count == 60)
            #expect(try await count("outbox", pool) == 60)
        }
    }

    @Test("Against a use case that locks the same things the other way round it gives way, and loses nothing")
    func givesWay() async throws {
        try await withTables { pool in
            try await pool.execute("CREATE TABLE things (id text PRIMARY KEY)")
            try await pool.execute("INSERT INTO things VALUES ('a')")
            try await pool.schedule(timer("a", after: 0, [1]))
            let fired = Log<[UInt8]>()
            let reached = WakeSignal()
            let runner = runner(pool, { $0.lockTimeout = .milliseconds(100) }) { timer, transaction in
                reached.wake()
                try await transaction.query("SELECT FROM things WHERE id = 'a' FOR UPDATE")
                fired.append(timer.payload)
            }
            try await withThrowingTaskGroup { group in
                try await pool.withTransaction { useCase in
                    try await useCase.query("SELECT FROM things WHERE id = 'a' FOR UPDATE")
                    group.addTask { try await runner.fireDue() }
                    await reached.wait(atMost: .seconds(60))
                    // The runner holds the timer and waits for the thing; we hold the thing and wait for the timer.
                    try await useCase.schedule(timer("a", after: 0, [2]))
                }
                try await group.waitForAll()
            }
            // Whether in the same call or the next, it fires as the use case left it.
            try await runner.fireDue()
            #expect(fired.all == [[2]])
            #expect(try await count("timers", pool) == 0)
            #expect(try await count("dead_letters", pool) == 0)
        }
    }

    @Test("A kind without a handler is left for whoever knows it")
    func unknownKind() async throws {
        try await withTables { pool in
            try await pool.schedule(timer())
            #expect(try await runner(pool, kinds: ["other"]) { _, _ in }.fireDue() == 0)
            #expect(try await count("timers", pool) == 1)
        }
    }

    @Test("It sleeps until the next one is due by domain time, and a wake-up shows it an earlier one")
    func sleepsAndWakes() async throws {
        try await withTables { pool in
            // An hour takes 36 ms, a day close to a second, and without sleeping until due it would be a real hour.
            let fast = DomainClock(origin: start, wallOrigin: Date(), rate: 100_000)
            let fired = Log<String>()
            let runner = runner(pool, clock: fast, { $0.pollInterval = .seconds(3_600) }) { timer, _ in
                fired.append(timer.key)
            }
            try await pool.schedule(timer("first", after: 3_600))
            let group = ServiceGroup(services: [runner], logger: .silent)
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { try await group.run() }
                try await until("fired by itself") { fired.all == ["first"] }
                try await pool.schedule(timer("second", after: 3_600))
                runner.wake()
                try await until("fired when woken") { fired.all == ["first", "second"] }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
    }
}

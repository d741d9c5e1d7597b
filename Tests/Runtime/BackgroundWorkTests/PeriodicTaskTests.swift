import DomainTime
import Foundation
import Logging
import MetricsTestKit
import ServiceLifecycle
import Synchronization
import Testing

@testable import BackgroundWork

private struct Outage: Error {}

@Suite("Periodic task", .timeLimit(.minutes(10)))
struct PeriodicTaskTests {
    @Test("It runs at once and then an interval after each end")
    func interval() async throws {
        let clock = TurnedClock()
        let runs = Mutex(0)
        let task = PeriodicTask("count", every: .seconds(15), on: clock, logger: Recording().logger) {
            runs.withLock { $0 += 1 }
        }
        let running = Task { try await task.run() }
        for run in 1...3 {
            #expect(await clock.passNextSleep() == .seconds(15))
            let count = runs.withLock(\.self)
            #expect(count >= run)
        }
        running.cancel()
        try await running.value
    }

    @Test("Failures in a row are logged once with the task's name, and tried again after a growing back-off")
    func failures() async throws {
        let clock = TurnedClock()
        let recording = Recording()
        let runs = Mutex(0)
        let task = PeriodicTask("retention", every: .seconds(5), on: clock, logger: recording.logger) {
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if (2...6).contains(run) || run == 8 { throw Outage() }
        }
        let running = Task { try await task.run() }
        var waits: [Duration] = []
        for _ in 1...9 { waits.append(try #require(await clock.passNextSleep())) }
        #expect(waits == [5, 1, 2, 4, 5, 5, 5, 1, 5].map { Duration.seconds($0) })
        running.cancel()
        try await running.value
        let warnings = recording.all.filter { $0.level == .warning }
        #expect(warnings.count == 2)
        #expect(warnings.allSatisfy { $0.metadata["task"] == "retention" && $0.metadata["reason"] != nil })
    }

    @Test("A gauge has the failures in a row, and 0 after a successful run")
    func gauge() async throws {
        let clock = TurnedClock()
        let metrics = TestMetrics()
        let runs = Mutex(0)
        let task = PeriodicTask(
            "retention", every: .seconds(5), on: clock, logger: Recording().logger, metrics: metrics
        ) {
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if (2...3).contains(run) { throw Outage() }
        }
        let running = Task { try await task.run() }
        for _ in 1...4 { _ = await clock.passNextSleep() }
        running.cancel()
        try await running.value
        let values = try metrics.expectGauge("doorstep_periodic_task_failures", [("task", "retention")]).values
        #expect(values.prefix(4) == [0, 1, 2, 0])
    }

    @Test("What runs more often than once a second is tried less often while it fails")
    func frequentFailures() async throws {
        let clock = TurnedClock()
        let task = PeriodicTask("poll", every: .milliseconds(75), on: clock, logger: Recording().logger) {
            throw Outage()
        }
        let running = Task { try await task.run() }
        var waits: [Duration] = []
        for _ in 1...6 { waits.append(try #require(await clock.passNextSleep())) }
        #expect(waits == [75, 150, 300, 600, 1_000, 1_000].map { Duration.milliseconds($0) })
        running.cancel()
        try await running.value
    }

    @Test("Graceful shutdown ends a wait at once")
    func shutdownWhileWaiting() async throws {
        let clock = TurnedClock()
        let task = PeriodicTask("retention", every: .seconds(3_600), on: clock, logger: Recording().logger) {}
        let group = ServiceGroup(services: [task], logger: Recording().logger)
        let running = Task { try await group.run() }
        #expect(await clock.nextSleep() == .seconds(3_600))
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test("Graceful shutdown cancels a run that is under way, and that is no failure")
    func shutdownWhileRunning() async throws {
        let recording = Recording()
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let task = PeriodicTask("retention", every: .seconds(1), logger: recording.logger) {
            signal.yield()
            try await Task.sleep(for: .seconds(3_600))
        }
        let group = ServiceGroup(services: [task], logger: Recording().logger)
        let running = Task { try await group.run() }
        for await _ in started { break }
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(recording.all.isEmpty)
    }

    @Test("An interval in domain time passes as fast as the domain clock runs")
    func domainTime() async throws {
        let start = Date(timeIntervalSince1970: 1_795_262_400)
        // An hour of domain time is 36 ms.
        let clock = DomainClock(origin: start, wallOrigin: Date(), rate: 100_000)
        let times = Mutex<[Date]>([])
        let (finished, signal) = AsyncStream.makeStream(of: Void.self)
        let task = PeriodicTask("partitions", every: .seconds(3_600), on: clock, logger: Recording().logger) {
            let count = times.withLock { times in
                times.append(clock.now)
                return times.count
            }
            if count == 3 { signal.yield() }
        }
        let running = Task { try await task.run() }
        for await _ in finished { break }
        running.cancel()
        try await running.value
        let seen = times.withLock(\.self)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= 3_600 })
    }
}

/// What was logged.
private final class Recording: LogHandler, Sendable {
    struct Entry: Sendable {
        var level: Logger.Level
        var metadata: [String: String]
    }

    private let entries = Mutex<[Entry]>([])

    var all: [Entry] { entries.withLock(\.self) }

    var logger: Logger { Logger(label: "test") { _ in self } }

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
        entries.withLock { $0.append(Entry(level: event.level, metadata: metadata)) }
    }
}

import BackgroundWork
import Synchronization
import TestSupport
import Testing

@testable import ServiceRuntime

private struct Away: Error {}

@Suite("Readiness that callers share", .timeLimit(.minutes(10)))
struct SharedReadinessTests {
    @Test("However many ask at once and within a second after, the checks run once")
    func sharing() async {
        let clock = ElapsedTime()
        let runs = Atomic(0)
        let gate = Gate()
        let check = ReadinessCheck(name: "postgres") {
            runs.add(1, ordering: .relaxed)
            await gate.pass()
        }
        let readiness = SharedReadiness([check], metrics: MetricsRegistry(), now: { clock.now })
        await withTaskGroup(of: ReadinessReport.self) { group in
            for _ in 0..<8 { group.addTask { await readiness.report(isDraining: false) } }
            gate.open()
            await group.waitForAll()
        }
        #expect(runs.load(ordering: .relaxed) == 1)
        clock.advance(by: SharedReadiness.kept)
        #expect(await readiness.report(isDraining: true).status == "draining")
        #expect(runs.load(ordering: .relaxed) == 2)
    }

    @Test("What failed because the one who ran the checks went away is nobody else's result")
    func cancelled() async {
        let clock = ElapsedTime()
        let isFirst = Atomic(true)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let check = ReadinessCheck(name: "postgres") {
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            enter.finish()
            try await Task.sleep(for: .seconds(3_600))
        }
        let readiness = SharedReadiness([check], metrics: MetricsRegistry(), now: { clock.now })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await readiness.report(isDraining: false) }
            for await _ in entered {}
            group.cancelAll()
        }
        #expect(await readiness.report(isDraining: false).checks.map(\.error) == [nil])
    }

    @Test("A dependency that the process can serve without has a metric of its own, from the start")
    func degraded() async {
        let metrics = MetricsRegistry()
        let clock = ElapsedTime()
        let isAway = Atomic(false)
        let check = ReadinessCheck(name: "nats", isRequired: false) {
            if isAway.load(ordering: .relaxed) { throw Away() }
        }
        let readiness = SharedReadiness([check], metrics: metrics, now: { clock.now })
        #expect(metrics.exposition().contains("\ndoorstep_degraded{check=\"nats\"} 0\n"))
        for (away, value) in [(true, 1), (false, 0)] {
            isAway.store(away, ordering: .relaxed)
            _ = await readiness.report(isDraining: false)
            let lines = metrics.exposition()
            #expect(lines.contains("\ndoorstep_degraded{check=\"nats\"} \(value)\n"))
            #expect(lines.contains("\ndoorstep_ready 1\n"))
            clock.advance(by: SharedReadiness.kept)
        }
    }

    @Test("The metric of readiness follows the required checks and the drain, and is sampled without a prober")
    func metric() async throws {
        let metrics = MetricsRegistry()
        let clock = ElapsedTime()
        let isAway = Atomic(false)
        let required = ReadinessCheck(name: "postgres") {
            if isAway.load(ordering: .relaxed) { throw Away() }
        }
        let other = ReadinessCheck(name: "nats", isRequired: false) { throw Away() }
        let readiness = SharedReadiness([required, other], metrics: metrics, now: { clock.now })
        for (away, draining, value) in [(false, false, 1), (true, false, 0), (false, false, 1), (false, true, 0)] {
            isAway.store(away, ordering: .relaxed)
            _ = await readiness.report(isDraining: draining)
            #expect(metrics.exposition().contains("\ndoorstep_ready \(value)\n"))
            clock.advance(by: SharedReadiness.kept)
        }
        #expect(!metrics.exposition().contains("check=\"postgres\""))

        let sampled = MetricsRegistry()
        let service = makeService(tokens: try await TestTokens(), readiness: [required], metrics: sampled)
        let sampling = Task { try await service.readinessSampling.run() }
        try await eventually("the first sample") { sampled.exposition().contains("\ndoorstep_ready 1\n") }
        sampling.cancel()
        _ = await sampling.result
    }
}

import BackgroundWork
import FlowControl
import Logging
import Synchronization
import TestSupport
import Testing

private struct Outage: Error {}

@Suite("Loop over due work", .timeLimit(.minutes(10)))
struct DueWorkerTests {
    private func worker(_ lines: LogLines, wokenBy signal: WakeSignal = WakeSignal()) -> DueWorker {
        DueWorker(
            outage: "Cannot work, retrying", recovery: "Works again", signal: signal,
            retry: BackOff(every: .milliseconds(1)), logger: lines.logger)
    }

    @Test("It goes on at once where there is more, and sleeps until it is woken where there is not")
    func wakes() async {
        let signal = WakeSignal()
        var runs = 0
        await worker(LogLines(), wokenBy: signal).run(until: { runs == 4 }) {
            runs += 1
            // Without the wake-up the test meets its time limit.
            if runs == 3 { signal.wake() }
            return runs == 3 ? .seconds(3_600) : .zero
        }
        #expect(runs == 4)
    }

    @Test("Failures in a row are logged once, and so is the first success after them")
    func outages() async {
        let lines = LogLines()
        var runs = 0
        await worker(lines).run(until: { runs == 8 }) {
            runs += 1
            if [2, 3, 4, 6].contains(runs) { throw Outage() }
            return .zero
        }
        let texts = lines.all.map { $0.split(separator: " [").first.map(String.init) ?? $0 }
        #expect(
            texts == [
                "warning: Cannot work, retrying", "info: Works again", "warning: Cannot work, retrying",
                "info: Works again",
            ])
    }

    @Test("Cancellation ends it, and is no outage")
    func cancellation() async {
        let lines = LogLines()
        let worker = worker(lines)
        let running = Task {
            await worker.run {
                try await Task.sleep(for: .seconds(3_600)); return .zero
            }
        }
        running.cancel()
        await running.value
        #expect(lines.all.isEmpty)
    }
}

@Suite("Shield against cancellation", .timeLimit(.minutes(10)))
struct CancellationShieldTests {
    @Test("A body goes on to its end though its caller is cancelled, and its error reaches the caller")
    func shielded() async throws {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            try await withCancellationShield { () async throws -> Bool in
                begin.finish()
                for await _ in cancelled {}
                return Task.isCancelled
            }
        }
        for await _ in began {}
        running.cancel()
        cancel.finish()
        #expect(try await running.value == false)
        await #expect(throws: Outage.self) { try await withCancellationShield { throw Outage() } }
    }
}

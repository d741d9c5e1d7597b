import TestSupport
import Testing

@testable import BackgroundWork

private struct Refused: Error, Equatable {
    let step: Int
}

@Suite("Steps of retention", .timeLimit(.minutes(10)))
struct RetentionStepsTests {
    @Test("Every deletion runs, also after failed ones; each failure is logged, and the first is thrown at the end")
    func failures() async throws {
        var steps = RetentionSteps()
        var ran: [Int] = []
        for step in 1...4 {
            try await steps.run("rows \(step)") {
                ran.append(step)
                if step.isMultiple(of: 2) { throw Refused(step: step) }
                return step
            }
        }
        #expect(ran == [1, 2, 3, 4])
        let log = LogLines()
        #expect(throws: Refused(step: 2)) { try steps.finish(logger: log.logger) }
        for step in [2, 4] {
            #expect(log.all.contains { $0.hasPrefix("warning") && $0.contains("rows \(step)") }, "\(log.all)")
        }
    }

    @Test("Without a failure the end throws nothing")
    func success() async throws {
        var steps = RetentionSteps()
        try await steps.run("rows") { 1 }
        try steps.finish()
    }

    @Test("A deletion that fails by cancellation is the last one")
    func cancellation() async throws {
        let running = Task {
            var steps = RetentionSteps()
            try await steps.run("rows") {
                try await Task.sleep(for: .seconds(3_600))
                return 0
            }
            Issue.record("a deletion was begun after the cancellation")
        }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}

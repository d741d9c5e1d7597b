import FlowControl
import Testing

@Suite("Waits that end with their task", .timeLimit(.minutes(10)))
struct CancellableWaitTests {
    private struct Failed: Error {}

    @Test("The first outcome counts")
    func outcome() async throws {
        let wait = CancellableWait<Int>()
        let value = try await wait.value {
            wait.end(with: .success(1))
            wait.end(with: .failure(Failed()))
        }
        #expect(value == 1)
    }

    @Test("Cancellation ends the wait, and a later outcome changes nothing")
    func cancellation() async {
        let wait = CancellableWait<Int>()
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task { try await wait.value { begins.finish() } }
        for await _ in begun {}
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        wait.end(with: .success(1))
    }

    @Test("Nothing begins for a task that is cancelled already")
    func cancelledBefore() async {
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await CancellableWait<Int>().value { Issue.record("it began") }
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

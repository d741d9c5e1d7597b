import FlowControl
import Testing

@Suite("Work with a time limit", .timeLimit(.minutes(10)))
struct TimeLimitTests {
    private struct Failed: Error {}

    @Test("Work that ends in time has its value or its error")
    func inTime() async throws {
        #expect(try await withTimeLimit(.seconds(3_600)) { 1 } == 1)
        await #expect(throws: Failed.self) { try await withTimeLimit(.seconds(3_600)) { throw Failed() } }
    }

    @Test("Work that takes longer is cancelled, and has no value")
    func tooLong() async throws {
        let value: Int? = try await withTimeLimit(.milliseconds(1)) {
            try await Task.sleep(for: .seconds(3_600))
            return 1
        }
        #expect(value == nil)
    }

    @Test("A cancelled task does not wait for the limit")
    func cancelled() async {
        let waiting = Task { try await withTimeLimit(.seconds(3_600)) { try await Task.sleep(for: .seconds(3_600)) } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

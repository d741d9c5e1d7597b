internal import Foundation

/// Runs `body` until it ends, or cancels it on a signal that asks the process to end, and waits for its end.
///
/// - Throws: `CommandFailure` of kind interrupted on such a signal, and an earlier error of `body`.
package func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let interrupts = [SIGINT, SIGTERM, SIGHUP].map { Interrupt($0) { continuation.finish() } }
    defer { interrupts.forEach { $0.stop() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask {
            for await _ in signals {}
            throw CommandFailure(.interrupted, "")
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}

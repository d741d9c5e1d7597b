import CommandOutput
import Foundation

/// Runs `body`, which ends only where continuing would not help, until a signal ends the process.
///
/// - Throws: `CommandFailure` of kind interrupted on Ctrl-C, and an earlier error of `body`.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
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

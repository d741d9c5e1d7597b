import CommandOutput
import Foundation

/// Runs what ends only where going on would not help, until the process is asked to end.
///
/// - Throws: `CommandFailure` of kind interrupted on Ctrl-C, and what `body` throws before that.
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

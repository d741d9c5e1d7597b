internal import Dispatch

/// Runs blocking C calls one after the other, away from Swift's cooperative threads.
final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// The result of `body`, which may block and runs even if the waiting task is cancelled.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Queues `body` behind what was queued before, and does not wait.
    func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Queues `body` once `delay` has passed, and does not wait.
    func enqueue(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay.milliseconds)), execute: body)
    }
}

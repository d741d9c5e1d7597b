internal import Dispatch
internal import FlowControl

/// Runs blocking C calls one after the other, outside of Swift's cooperative threads.
final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// The result of `body`, which may block and runs even if the waiting task is cancelled.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Waits for `body`, which may block and throws nothing; it runs even if the waiting task is cancelled.
    func perform(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                body()
                continuation.resume()
            }
        }
    }

    /// Waits for `body`, which may block; on cancellation the wait ends at once, and `body` ends unobserved.
    /// - Throws: the error of `body`, or `CancellationError`.
    func runUntilCancelled(_ body: @escaping @Sendable () throws -> Void) async throws {
        let wait = CancellableWait<Void>()
        try await wait.value { queue.async { wait.end(with: Result(catching: body)) } }
    }

    /// Queues `body` without waiting.
    func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Queues `body` once `delay` has passed, and does not wait.
    func enqueue(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay.milliseconds)), execute: body)
    }
}

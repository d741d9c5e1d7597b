internal import Dispatch
internal import Synchronization

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
        let waiter = Waiter()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard waiter.begin(continuation) else { return }
                queue.async { waiter.finish(Result(catching: body)) }
            }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }

    /// Queues `body` without waiting.
    func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Queues `body` once `delay` has passed, and does not wait.
    func enqueue(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay.milliseconds)), execute: body)
    }
}

/// A continuation that is resumed once, by the result or by the cancellation, whichever is first.
private final class Waiter: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>)
        case finished
    }

    private let state = Mutex(State.idle)

    /// Keeps the continuation; resumes it and returns false if the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if case .finished = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    func finish(_ result: Result<Void, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .finished }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}

import Dispatch

/// Runs one connection's blocking C calls outside of the cooperative pool.
///
/// Each executor is a serial queue, and each queue a thread at most, so threads are bounded by `connectionsMax`.
final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

import Foundation
import Synchronization

/// Asks threads to end.
final class StopSignal: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .relaxed) }

    func raise() { raised.store(true, ordering: .relaxed) }
}

/// Answers counted by their status; 0 is a connection that ended without one.
final class StatusCounts: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    func add(_ status: Int) { counts.withLock { $0[status, default: 0] += 1 } }

    var byStatus: [Int: Int] { counts.withLock { $0 } }
}

/// Threads that run during the measurement until they are stopped, so that its own event loop waits for none of them.
final class WorkThreads: Sendable {
    private let stopSignal = StopSignal()
    private let running = DispatchGroup()
    private let firstFailure = Mutex<BenchFailure?>(nil)

    /// Runs the work on a thread of its own; it returns soon after the signal is raised.
    func start(_ name: String, _ work: @escaping @Sendable (StopSignal) throws -> Void) {
        running.enter()
        let thread = Thread { [self] in
            do {
                try work(stopSignal)
            } catch {
                firstFailure.withLock { $0 = $0 ?? BenchFailure("\(name): \(error)") }
            }
            running.leave()
        }
        thread.name = name
        thread.start()
    }

    /// Stops the threads and waits until all have ended.
    ///
    /// - Throws: `BenchFailure` of the first failed thread.
    func stop() throws {
        stopSignal.raise()
        running.wait()
        if let failure = firstFailure.withLock(\.self) { throw failure }
    }
}

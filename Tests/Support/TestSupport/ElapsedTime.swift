import Synchronization

/// Time since the process began, which stands still until a test moves it.
package final class ElapsedTime: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { instant.withLock { $0 } }

    package func advance(by duration: Duration) { instant.withLock { $0 += duration } }
}

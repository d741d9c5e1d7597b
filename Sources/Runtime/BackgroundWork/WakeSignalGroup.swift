internal import Synchronization

/// Wake signals of several workers that share one kind of work.
package final class WakeSignalGroup: Sendable {
    private let signals = Mutex<[WakeSignal]>([])

    package init() {}

    /// Wakes one waiting worker; when none waits, one of them continues after its current work.
    ///
    /// A worker that finds more work than it can lease wakes the next.
    package func wake() {
        let all = signals.withLock(\.self)
        if !all.contains(where: { $0.wakeIfWaiting() }) { all.first?.wake() }
    }

    /// A signal for one worker, raised by some ``wake()`` from now on.
    package func makeSignal() -> WakeSignal {
        let signal = WakeSignal()
        signals.withLock { $0.append(signal) }
        return signal
    }
}

import BackgroundWork
import Synchronization

/// Lets several loops sleep until there is work.
final class Wake: Sendable {
    private let listeners = Mutex<[WakeSignal]>([])

    /// Wakes a listener that waits; when all of them work, one works on.
    ///
    /// Whoever finds more than it can take wakes the next.
    func wake() {
        let all = listeners.withLock(\.self)
        if !all.contains(where: { $0.wakeIfWaiting() }) { all.first?.wake() }
    }

    /// A signal of one loop's own, raised by some ``wake()`` from now on.
    func listener() -> WakeSignal {
        let signal = WakeSignal()
        listeners.withLock { $0.append(signal) }
        return signal
    }
}

import Synchronization

/// The number of webhooks that arrived at each receiver, and the time of the newest.
final class WebhookArrivals: Sendable {
    private struct Receiver {
        var count = 0
        var lastAt: Instant = 0
    }

    private let receivers: Mutex<[Receiver]>

    /// - Parameter count: of receivers, which are called by their numbers.
    init(receivers count: Int) { receivers = Mutex(Array(repeating: Receiver(), count: count)) }

    /// Clears the arrivals.
    func begin() {
        receivers.withLock { receivers in receivers = Array(repeating: Receiver(), count: receivers.count) }
    }

    func add(to receiver: Int, at time: Instant) {
        receivers.withLock { receivers in
            receivers[receiver].count += 1
            receivers[receiver].lastAt = time
        }
    }

    /// All that have arrived at some of the receivers.
    func count(at numbers: Range<Int>) -> Int {
        receivers.withLock { receivers in receivers[numbers].reduce(0) { $0 + $1.count } }
    }

    /// When the newest has arrived at any of some of the receivers; 0 before the first.
    func lastAt(_ numbers: Range<Int>) -> Instant {
        receivers.withLock { receivers in receivers[numbers].reduce(0) { max($0, $1.lastAt) } }
    }
}

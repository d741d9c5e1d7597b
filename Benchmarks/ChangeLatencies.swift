/// Tracks acknowledged changes, their arrival on a stream, and their latencies.
struct ChangeLatencies {
    private struct Pending {
        let version: Int
        let answeredAt: Instant
        let dueAt: Instant
    }

    private struct Delivery {
        /// The newest version on the device's stream.
        var shown = 0
        var pending: [Pending] = []
    }

    private var deliveries: [Delivery]
    private(set) var answered = 0
    private(set) var refused = 0
    private(set) var arrived = 0
    private(set) var lastArrivalAt: Instant = 0
    /// Latencies from a change's answer to its arrival; 0 for a change that arrived on the stream first.
    private(set) var fromAnswer: [Instant] = []
    /// Latencies from a change's due time to its arrival, so that a lagging load is not measured as fast.
    private(set) var fromDue: [Instant] = []
    /// Latencies from a change's due time to its answer.
    private(set) var untilAnswer: [Instant] = []

    /// - Parameter shown: the version that each delivery's card shows.
    init(shown: [Int]) { deliveries = shown.map { Delivery(shown: $0) } }

    /// Resets everything except each delivery's shown version.
    mutating func begin() {
        self = ChangeLatencies(shown: deliveries.map(\.shown))
    }

    mutating func refuse() { refused += 1 }

    mutating func answer(_ delivery: Int, version: Int, dueAt: Instant, at time: Instant) {
        answered += 1
        untilAnswer.append(time - dueAt)
        let pending = Pending(version: version, answeredAt: time, dueAt: dueAt)
        if deliveries[delivery].shown >= version {
            arrive(pending, at: time)
        } else {
            deliveries[delivery].pending.append(pending)
        }
    }

    mutating func show(_ delivery: Int, version: Int, at time: Instant) {
        guard version > deliveries[delivery].shown else { return }
        deliveries[delivery].shown = version
        while let first = deliveries[delivery].pending.first, first.version <= version {
            deliveries[delivery].pending.removeFirst()
            arrive(first, at: time)
        }
    }

    /// Answered changes that were due before a time and have not arrived.
    func unarrived(dueBefore time: Instant) -> Int {
        deliveries.reduce(0) { $0 + $1.pending.count { $0.dueAt < time } }
    }

    private mutating func arrive(_ pending: Pending, at time: Instant) {
        arrived += 1
        lastArrivalAt = time
        fromAnswer.append(time - pending.answeredAt)
        fromDue.append(time - pending.dueAt)
    }
}

/// The distribution of a set of durations.
struct Distribution: Codable {
    let count: Int
    let p50Milliseconds: Double
    let p90Milliseconds: Double
    let p99Milliseconds: Double
    let maxMilliseconds: Double

    init(_ durations: [Instant]) {
        let sorted = durations.sorted()
        func quantile(_ part: Double) -> Double {
            guard !sorted.isEmpty else { return 0 }
            let index = Int((part * Double(sorted.count)).rounded(.up)) - 1
            return sorted[max(0, min(index, sorted.count - 1))].inMilliseconds.rounded(to: 2)
        }
        count = sorted.count
        p50Milliseconds = quantile(0.5)
        p90Milliseconds = quantile(0.9)
        p99Milliseconds = quantile(0.99)
        maxMilliseconds = quantile(1)
    }

    var p50AndP99: String { "\(p50Milliseconds.text), \(p99Milliseconds.text)" }
}

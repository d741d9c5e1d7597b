internal import CoreMetrics
internal import Synchronization

/// A number that only rises, summed over the life of the process.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler {
    private let total = Mutex(0.0)

    var value: Double { total.withLock { $0 } }

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        total.withLock { $0 += amount }
    }

    func reset() { total.withLock { $0 = 0 } }
}

/// A number that rises and falls.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let current = Mutex(0.0)

    var value: Double { current.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { current.withLock { $0 = value } }
    func increment(by amount: Double) { current.withLock { $0 += amount } }
    func decrement(by amount: Double) { current.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// Counts of observations by upper bound; timers observe seconds.
final class HistogramSeries: TimerHandler, RecorderHandler {
    struct Observed {
        /// The counts per bound, plus one for values above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    let bounds: [Double]
    private let observed: Mutex<Observed>

    /// - Parameter bounds: ascending; a value equal to a bound is within it.
    init(bounds: [Double]) {
        self.bounds = bounds
        observed = Mutex(Observed(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var value: Observed { observed.withLock { $0 } }

    func record(_ value: Double) {
        guard !value.isNaN else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        observed.withLock {
            $0.counts[index] += 1
            $0.sum += value
        }
    }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}

import Foundation

/// Durations counted in fixed buckets, so that histograms of different rows and hours add up.
struct DurationHistogram: Hashable, Sendable {
    /// The longest duration of each bucket but the last, in seconds; the last bucket has every longer duration.
    ///
    /// Stored rows have their counts in this order: a change needs a migration.
    static let bounds: [Double] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

    /// The number of durations in each bucket.
    private(set) var counts: [Int]

    init() { counts = Array(repeating: 0, count: Self.bounds.count + 1) }

    /// - Parameter counts: the counts of a stored row; missing buckets are empty.
    init(counts: [Int]) {
        self.init()
        for (index, count) in counts.prefix(self.counts.count).enumerated() { self.counts[index] = count }
    }

    var count: Int { counts.reduce(0, +) }

    /// Adds a duration; a negative one, of clocks that differ, counts as none.
    mutating func add(_ seconds: TimeInterval) {
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    mutating func add(_ other: DurationHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// The durations of at most this many seconds, which is one of the bounds.
    func count(within seconds: Double) -> Int {
        zip(Self.bounds, counts).reduce(0) { $0 + ($1.0 <= seconds ? $1.1 : 0) }
    }

    /// The bound that this share of the durations does not exceed; nil without durations.
    ///
    /// A percentile beyond the last bound is unknown, and is nil too.
    func percentile(_ share: Double) -> Double? {
        let total = count
        guard total > 0 else { return nil }
        let rank = max(1, Int((Double(total) * share).rounded(.up)))
        var sum = 0
        for (bound, count) in zip(Self.bounds, counts) {
            sum += count
            if sum >= rank { return bound }
        }
        return nil
    }
}

import SeededRandom
import Testing

@testable import ActivityDispatch

@Suite("Durations in buckets")
struct DurationHistogramTests {
    @Test(
        "A duration counts in the first bucket that is not shorter", arguments: [(-3.0, 0), (1, 0), (1.5, 1), (30, 5)])
    func buckets(seconds: Double, bucket: Int) {
        var histogram = DurationHistogram()
        histogram.add(seconds)
        #expect(histogram.counts[bucket] == 1 && histogram.count == 1)
    }

    @Test("Percentiles of two histograms together are those of all their durations")
    func merged() {
        var random = SeededGenerator(seed: 7)
        let durations = (0..<1_000).map { _ in Double.random(in: 0...400, using: &random) }
        var (one, other) = (DurationHistogram(), DurationHistogram())
        for duration in durations.prefix(300) { one.add(duration) }
        for duration in durations.dropFirst(300) { other.add(duration) }
        one.add(other)
        let sorted = durations.sorted()
        for share in [0.1, 0.5, 0.9, 1] {
            let exact = sorted[Int((1_000 * share).rounded(.up)) - 1]
            #expect(one.percentile(share) == DurationHistogram.bounds.first { exact <= $0 })
        }
        #expect(one.count(within: 30) == durations.count { $0 <= 30 })
    }

    @Test("Nothing has no percentile, and beyond an hour it is not known")
    func unknown() {
        var histogram = DurationHistogram()
        #expect(histogram.percentile(0.5) == nil)
        histogram.add(3_601)
        #expect(histogram.percentile(0.5) == nil && histogram.count == 1)
        #expect(DurationHistogram(counts: histogram.counts) == histogram)
    }
}

/// Delays that double with every failure in a row, up to a limit.
package struct BackOff: Hashable, Sendable {
    /// The delay after the first failure, without jitter.
    package var first: Duration
    /// The upper bound of every delay.
    package var longest: Duration
    /// The largest share of a delay that jitter subtracts, from 0 to 1.
    package var jitterShare: Double

    /// - Parameter jitterShare: a fifth unless the caller knows how many clients fail together.
    package init(first: Duration, longest: Duration, jitterShare: Double = 0.2) {
        self.first = first
        self.longest = longest
        self.jitterShare = jitterShare
    }

    /// A constant delay after each failure.
    package init(every pause: Duration) { self.init(first: pause, longest: pause) }

    /// The delay before the next attempt after `failures` consecutive failures.
    ///
    /// - Parameters:
    ///   - failures: 1 after the first.
    ///   - jitter: a random number from 0 to 1, so that clients that failed together do not retry together; 1 shortens
    ///     the delay by the whole ``jitterShare``.
    package func delay(failures: Int, jitter: Double = 0) -> Duration {
        let doublings = min(max(failures, 1) - 1, Self.doublingsMax)
        return min(first * (1 << doublings), longest) * (1 - jitterShare * jitter)
    }

    /// Far above any limit in use, and far below an overflow.
    private static let doublingsMax = 30
}

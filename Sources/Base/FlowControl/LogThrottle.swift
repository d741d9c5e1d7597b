/// Passes the first of a series of equal log lines, and then one per interval.
package struct LogThrottle: Sendable {
    private let interval: Duration
    private var last: ContinuousClock.Instant?

    package init(every interval: Duration) { self.interval = interval }

    /// True when the line is to be logged; starts the interval.
    package mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        if let last, now - last < interval { return false }
        last = now
        return true
    }

    /// Ends the series; true if a series was open.
    @discardableResult
    package mutating func reset() -> Bool {
        defer { last = nil }
        return last != nil
    }
}

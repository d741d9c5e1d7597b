/// Lets the first of a series of equal log lines through, and then one per interval.
struct LogThrottle {
    private let interval: Duration
    private var last: ContinuousClock.Instant?

    init(every interval: Duration) { self.interval = interval }

    /// True when the line is to be logged; starts the interval.
    mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        if let last, now - last < interval { return false }
        last = now
        return true
    }

    /// Ends the series; true if there was one.
    @discardableResult
    mutating func reset() -> Bool {
        defer { last = nil }
        return last != nil
    }
}

/// How many live things are to be republished by now, so that a round is spread evenly over its interval.
struct RepublishPlan: Sendable {
    /// How long a round takes.
    var interval: Duration
    /// Things per page, at most.
    var pageRowsMax: Int
    /// Ticks in a round.
    static let ticks = 120

    /// How many to republish at this tick.
    ///
    /// - Parameters:
    ///   - elapsed: since the round began.
    ///   - done: in this round.
    ///   - lastTotal: of the round before, which is the best guess for this one; nil in the first.
    func due(elapsed: Duration, done: Int, lastTotal: Int?) -> Int {
        // An unknown total is guessed as one page per tick. A round that exceeds its interval continues by pages.
        guard let lastTotal, elapsed < interval else { return pageRowsMax }
        let ticks = min(Int(elapsed / (interval / Self.ticks)) + 1, Self.ticks)
        // Rounded up, so that the last tick completes the round.
        return max(0, (lastTotal * ticks + Self.ticks - 1) / Self.ticks - done)
    }
}

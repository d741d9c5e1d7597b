/// How many live things are to be republished by now, so that a round takes its interval and every part of it the same.
struct RepublishPlan: Sendable {
    /// How long a round shall take.
    var interval: Duration
    /// Things per page, at most.
    var pageRowsMax: Int
    /// How many looks there are in a round.
    static let ticks = 120

    /// How many to republish at this look.
    ///
    /// - Parameters:
    ///   - elapsed: since the round began.
    ///   - done: in this round.
    ///   - lastTotal: of the round before, which is the best guess for this one; nil in the first.
    func due(elapsed: Duration, done: Int, lastTotal: Int?) -> Int {
        // An unknown total is guessed as one page per look. A round that has run over its time goes on by pages.
        guard let lastTotal, elapsed < interval else { return pageRowsMax }
        let looks = min(Int(elapsed / (interval / Self.ticks)) + 1, Self.ticks)
        // Rounded up, so that the last look leaves nothing over.
        return max(0, (lastTotal * looks + Self.ticks - 1) / Self.ticks - done)
    }
}

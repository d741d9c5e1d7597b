/// How many live things are to be republished by now, so that a round is spread evenly and no thing waits for longer than
/// the interval, however many there are by then.
///
/// A thing that was first in one round may be last in the next, since what it comes after may have grown. So a round
/// begins twice in an interval, and what is left of it near its end is republished at once.
struct RepublishPlan: Sendable {
    /// Within which each thing is republished again.
    var interval: Duration
    /// Things per page, at most.
    var pageRowsMax: Int
    /// Ticks in an interval.
    static let ticks = 120
    /// Ticks in a round: half an interval, less what two rounds may be late by.
    static let roundTicks = ticks / 2 - 2

    /// Time between two ticks.
    var tick: Duration { interval / Self.ticks }

    /// Where a round is.
    struct Round: Hashable, Sendable {
        /// Since it began.
        var elapsed: Duration = .zero
        /// What the next page begins after; nil at the start.
        var position: String?
        /// Things republished in it.
        var done = 0
        /// Things in the round before, which is the best guess for this one; nil in the first.
        var lastTotal: Int?
        var isComplete = false
    }

    /// The round after a complete one, once its time has come.
    func next(after round: Round) -> Round? {
        guard round.isComplete, round.elapsed >= tick * Self.roundTicks else { return nil }
        return Round(lastTotal: round.done)
    }

    /// How many to republish at this tick, at most.
    func due(in round: Round) -> Int {
        guard !round.isComplete else { return 0 }
        let ticks = Int(round.elapsed / tick) + 1
        guard ticks < Self.roundTicks else { return .max }
        // An unknown total is guessed as one page per tick.
        guard let lastTotal = round.lastTotal else { return pageRowsMax }
        return max(0, (lastTotal * ticks + Self.roundTicks - 1) / Self.roundTicks - round.done)
    }
}

extension RepublishPlan.Round {
    /// Counts a page.
    mutating func advance(count: Int, next: String?) {
        position = next
        done += count
        isComplete = next == nil
    }
}

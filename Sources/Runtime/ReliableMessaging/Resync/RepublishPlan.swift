internal import Foundation

/// When which slice is to be republished, so that no thing waits for longer than the interval, however many there are
/// and whatever comes and goes meanwhile.
///
/// Slices take turns, one a tick, for ever. A thing's slice is its own for good, so how long it waits depends on no
/// other thing, and nothing needs to be known of how many there are: each tick has its even share of what there is then.
struct RepublishPlan: Sendable {
    /// Within which each thing is republished again.
    var interval: Duration
    /// Ticks in an interval: one for each slice, and what a round may be late by.
    static let ticks = RepublishSlice.count + 5

    /// Time from a slice to the next.
    var tick: Duration { interval / Self.ticks }
    /// Time between two checks whether a slice is due.
    var poll: Duration { tick / 2 }

    /// Where the round is; all times are the database's.
    struct Round: Hashable, Sendable {
        /// The slice that is next, or that is being republished.
        var slice = 0
        /// What its next page begins after; nil at its beginning.
        var position: String?
        /// When the slice is due.
        var dueAt: Date
        /// When its first page was, or before that the former slice's; nil before the first of all.
        var begunAt: Date?
    }

    /// Whether a page is to be republished now: what is late catches up with two slices a tick.
    ///
    /// A time that is further away than it can be was set by a clock that has been set back since.
    func isDue(_ round: Round, at now: Date) -> Bool {
        if round.position != nil { return true }
        guard round.dueAt <= now || round.dueAt > now.addingTimeInterval(seconds(tick)) else { return false }
        guard let begunAt = round.begunAt else { return true }
        return begunAt > now || now.timeIntervalSince(begunAt) >= seconds(poll)
    }

    /// Takes in that a page was republished.
    ///
    /// A round that is late has no more to catch up with than an interval: after that every slice has had its turn.
    /// - Parameter next: as ``RepublishablePage/next``; nil at the slice's end.
    func advance(_ round: inout Round, to next: String?, at now: Date) {
        if round.position == nil { round.begunAt = now }
        round.position = next
        guard next == nil else { return }
        let dueAt = min(max(round.dueAt, now.addingTimeInterval(-seconds(interval))), now)
        round.dueAt = dueAt.addingTimeInterval(seconds(tick))
        round.slice = (round.slice + 1) % RepublishSlice.count
    }

    private func seconds(_ duration: Duration) -> TimeInterval { duration / .seconds(1) }
}

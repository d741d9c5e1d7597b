internal import Foundation

/// Schedules slices for republishing, so that each object's turn comes within the interval, however many objects exist
/// or change.
///
/// Slices alternate, one per tick, indefinitely. An object's slice never changes, so its wait depends on no other
/// object, and the plan needs no count: each tick has an even share of the present objects.
struct RepublishPlan: Sendable {
    /// The time within which each object is republished again.
    var interval: Duration
    /// Ticks in an interval: one for each slice, plus a margin for a late round.
    static let ticks = RepublishSlice.count + 5

    /// Time from a slice to the next.
    var tick: Duration { interval / Self.ticks }
    /// Time between two checks whether a slice is due.
    var poll: Duration { tick / 2 }

    /// The position of the round; all times are the database's.
    struct Round: Hashable, Sendable {
        /// The slice that is next, or that is being republished.
        var slice = 0
        /// The cursor of its next page; nil at its beginning.
        var position: String?
        /// When the slice is due.
        var dueAt: Date
        /// When its first page was, or before that the former slice's; nil before the first of all.
        var begunAt: Date?
    }

    /// Whether a page is to be republished now: a late round catches up with two slices a tick.
    ///
    /// An implausibly distant due time was set by a clock that has been set back since.
    func isDue(_ round: Round, at now: Date) -> Bool {
        if round.position != nil { return true }
        guard round.dueAt <= now || round.dueAt > now.addingTimeInterval(seconds(tick)) else { return false }
        guard let begunAt = round.begunAt else { return true }
        return begunAt > now || now.timeIntervalSince(begunAt) >= seconds(poll)
    }

    /// Records that a page was republished.
    ///
    /// A late round catches up by at most one interval: after that every slice has had its turn.
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

import Foundation
import LiveActivity
import WireCoding

extension Push {
    /// Seconds for which APNs may keep a start for a phone that is off: a late card surprises the customer, and the
    /// lease of a new start relies on this bound.
    static let startKept = 10 * 60

    /// Epoch seconds after which APNs may drop the push.
    ///
    /// A start is for the next minutes. An update is valid until its stale date. An end is wanted while the card may be
    /// on the screen.
    func expiration(of card: Card) -> Int {
        let now = leasedAt.epochSeconds
        switch (event, wanted) {
        case (.start, _): return now + Self.startKept
        case (.update, .show(let shown)): return max(shown.staleAt, now + Self.startKept)
        case (.end, _), (.update, .ended):
            let shownUntil = (card.startedAt ?? leasedAt).addingTimeInterval(
                Limits.systemActiveMax + TimeInterval(Dismissal.keptSecondsMax))
            return max(shownUntil.epochSeconds, now + Self.startKept)
        }
    }
}

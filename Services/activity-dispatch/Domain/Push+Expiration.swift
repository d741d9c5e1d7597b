import Foundation
import LiveActivity
import WireCoding

extension Push {
    /// How long APNs may keep a start for a phone that is off: a card that comes later surprises, and the lease of a
    /// new one counts on it.
    static let startKept = 10 * 60

    /// Epoch seconds after which APNs need not deliver it any more.
    ///
    /// A start is for the next minutes. An update is true until it goes stale. An end is wanted for as long as the card
    /// may be on the screen.
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

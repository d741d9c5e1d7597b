/// The screen's temporary changes by an alert.
extension Phone {
    /// Seconds that an alert holds the island open, or its banner on the screen; Apple publishes no number.
    public static let alertSeconds = 5

    /// The card whose alert lit the screen within the last ``alertSeconds``: of several, the newest.
    public var alertedCard: PhoneCard? {
        guard permission == .allowed else { return nil }
        return
            liveCards
            .filter { card in card.state != .pending && card.alert.map { now < $0.at + Self.alertSeconds } ?? false }
            .max { ($0.alert?.at ?? 0, $0.ordinal) < ($1.alert?.at ?? 0, $1.ordinal) }
    }

    /// The island as pushes move it: an alert expands its card for a moment, whichever card the island held before.
    ///
    /// On a phone without an island the same alert is a banner, see ``banner``.
    public var alertedIsland: Island {
        guard hasIsland, let alertedCard, !alertedCard.isHiddenInIsland else { return island }
        return .expanded(alertedCard)
    }

    /// The card whose alert stands at the top of a phone that has no island; nil when none does.
    public var banner: PhoneCard? { hasIsland ? nil : alertedCard }

    /// When the present alert leaves the screen, epoch seconds; nil where none is on it.
    func alertEnd(at time: Int) -> Int? {
        guard let at = alertedCard?.alert?.at, at + Self.alertSeconds > time else { return nil }
        return at + Self.alertSeconds
    }
}

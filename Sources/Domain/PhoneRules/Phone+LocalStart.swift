public import LiveActivity

/// Why a phone starts no card for its app, as `ActivityAuthorizationError` calls it.
public enum LocalStartRefusal: String, Codable, CaseIterable, Hashable, Sendable, Error {
    /// The person switched Live Activities off.
    case denied
    /// Attributes and content together are more than 4 KB.
    case attributesTooLarge
    /// The app has as many cards as the system allows.
    case targetMaximumExceeded
    /// The app is not in the foreground.
    case visibility
}

/// Cards that the app starts by itself, which need neither a push nor an alert.
extension Phone {
    /// Starts a card for the app (`Activity.request`), after letting time pass up to `now`.
    ///
    /// No push has given it a time yet, so that the first push for it is applied whatever its timestamp.
    public mutating func startFromApp(
        _ shown: ShownActivity, card id: String, at now: Int
    ) throws(LocalStartRefusal) -> [CardEvent] {
        let events = advance(to: now)
        guard permission != .switchedOff else { throw .denied }
        guard cards[id] == nil, cards.values.count(where: \.state.isLive) < activitiesMax else {
            throw .targetMaximumExceeded
        }
        startsCount += 1
        let card = PhoneCard(
            id: id, attributes: shown.attributes, content: shown.content, state: .active, timestamp: 0,
            startedAt: self.now, ordinal: startsCount, staleAt: max(shown.staleAt, self.now), endedAt: nil,
            dismissedAt: nil, relevance: shown.relevance, isHiddenInIsland: false)
        cards[id] = card
        return events + [CardEvent(kind: .start, card: card, at: self.now)] + advance(to: now)
    }
}

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

/// The app's own changes of cards, without a push or an alert.
extension Phone {
    /// Starts a card for the app (`Activity.request`), after letting time pass up to `now`.
    ///
    /// No push has given it a time yet, so that the first push for it is applied whatever its timestamp.
    /// - Parameter alert: schedules it (iOS 26): it is pending and counts towards the limit until `startAt`, when the
    ///   system starts it with this alert; nil starts it now.
    /// - Returns: the events of the time that passed, and the start, unless it is scheduled for later.
    /// - Throws: ``LocalStartRefusal``: denied or too many cards.
    public mutating func startFromApp(
        _ shown: ShownActivity, card id: String, scheduledWith alert: PushAlert? = nil, at now: Int
    ) throws(LocalStartRefusal) -> [CardEvent] {
        let events = advance(to: now)
        guard permission != .switchedOff else { throw .denied }
        guard cards[id] == nil, cards.values.count(where: \.state.isLive) < activitiesMax else {
            throw .targetMaximumExceeded
        }
        startsCount += 1
        let startsAt = alert == nil ? self.now : max(shown.startAt, self.now)
        let card = PhoneCard(
            id: id, attributes: shown.attributes, content: shown.content, state: alert == nil ? .active : .pending,
            timestamp: 0, startedAt: startsAt, ordinal: startsCount, staleAt: max(shown.staleAt, startsAt),
            endedAt: nil, dismissedAt: nil, relevance: shown.relevance, isHiddenInIsland: false,
            alert: alert.map { PhoneAlert(content: $0, at: startsAt) })
        cards[id] = card
        guard card.state == .active else { return events + advance(to: now) }
        updatedAt = self.now
        return events + [CardEvent(kind: .start, card: card, at: self.now)] + advance(to: now)
    }

    /// Ends a card for the app and removes it at once (`Activity.end`, `.immediate`), a scheduled one too.
    public mutating func endFromApp(card id: String, at now: Int) -> [CardEvent] {
        var events = advance(to: now)
        guard var card = cards[id], card.state != .dismissed else { return events }
        let wasPending = card.state == .pending
        Self.dismiss(&card, at: self.now)
        cards[id] = card
        // A pending card was on no screen.
        if !wasPending { events.append(CardEvent(kind: .dismissed, card: card, at: self.now)) }
        return events
    }

    /// Puts content on a card for the app (`Activity.update`), after letting time pass up to `now`; it makes a stale card
    /// active, and does nothing to one that is over or has not started: by a field report the system ignores that.
    ///
    /// - Parameter timestamp: orders it among pushes, by the rules of those (iOS 17.2); nil where the system has no such
    ///   order, and the revision that is shown decides.
    public mutating func updateFromApp(
        _ shown: ShownActivity, card id: String, timestamp: Int?, at now: Int
    ) -> [CardEvent] {
        let events = advance(to: now)
        guard var card = cards[id], card.state.isLive, card.state != .pending, permission != .switchedOff else {
            return events
        }
        if let timestamp {
            guard timestamp > card.timestamp else { return events }
            card.timestamp = timestamp
        } else {
            guard shown.content.revision >= card.content.revision else { return events }
        }
        card.content = shown.content
        card.staleAt = max(shown.staleAt, self.now)
        card.relevance = shown.relevance
        if card.state == .stale { card.state = .active }
        cards[id] = card
        updatedAt = self.now
        return events + [CardEvent(kind: .update, card: card, at: self.now)] + advance(to: now)
    }
}

extension Phone {
    /// Removes every card and forgets it: none is known to the server any more.
    ///
    /// - Returns: what time changed, then the dismissals of the cards that were not dismissed yet.
    public mutating func forgetCards(at now: Int) -> [CardEvent] {
        var events = advance(to: now)
        for var card in liveCards {
            Self.dismiss(&card, at: self.now)
            events.append(CardEvent(kind: .dismissed, card: card, at: self.now))
        }
        cards = [:]
        isIslandExpanded = false
        return events
    }
}

/// Actions of the phone's owner.
extension Phone {
    /// Swipes a card off the Lock Screen: it is dismissed and ended, and the order goes on.
    ///
    /// - Returns: the dismissal; nothing when no such card is there.
    public mutating func swipeOnLockScreen(card id: String, at now: Int) -> [CardEvent] {
        var events = advance(to: now)
        guard var card = cards[id], card.state.isOnLockScreen else { return events }
        Self.dismiss(&card, at: self.now)
        cards[id] = card
        events.append(CardEvent(kind: .dismissed, card: card, at: self.now))
        return events
    }

    /// Swipes away the island's card: hidden there permanently, still on the Lock Screen.
    ///
    /// That an alert does not bring it back is an assumption; Apple does not document it.
    /// - Returns: the card that was hidden; nil when the island shows none.
    @discardableResult
    public mutating func swipeInIsland() -> PhoneCard? {
        let shown: PhoneCard
        switch island {
        case .empty: return nil
        case .compact(let card), .expanded(let card), .minimal(let card, _): shown = card
        }
        cards[shown.id]?.isHiddenInIsland = true
        isIslandExpanded = false
        return cards[shown.id]
    }

    /// Answers the question under the first card, or moves the switch in Settings.
    ///
    /// Switching off dismisses every card at once; switching on brings none of them back.
    public mutating func switchLiveActivities(on isOn: Bool, at now: Int) -> [CardEvent] {
        var events = advance(to: now)
        permission = isOn ? .allowed : .switchedOff
        guard !isOn else { return events }
        for var card in liveCards {
            Self.dismiss(&card, at: self.now)
            cards[card.id] = card
            events.append(CardEvent(kind: .dismissed, card: card, at: self.now))
        }
        return events
    }
}

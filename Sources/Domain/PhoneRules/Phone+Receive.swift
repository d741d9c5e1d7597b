public import LiveActivity

extension Phone {
    /// Applies a push as the system does, after letting time pass up to `now`.
    ///
    /// - Parameters:
    ///   - payload: what arrived, in any order and any number of times.
    ///   - card: which card it is for; on a phone the push token identifies it.
    ///   - now: epoch seconds.
    /// - Returns: what changed, oldest first; nothing when the push was refused, see `refusal(of:card:)`.
    public mutating func receive(_ payload: PushPayload, card id: String, at now: Int) -> [CardEvent] {
        let events = advance(to: now)
        guard refusal(of: payload, card: id) == nil else { return events }
        let applied =
            switch payload.aps.event {
            case .start: start(payload.aps, card: id)
            case .update: update(payload.aps, card: id)
            case .end: end(payload.aps, card: id)
            }
        return events + [applied] + advance(to: now)
    }

    /// Why the phone would do nothing with this push now; nil when it would apply it.
    public func refusal(of payload: PushPayload, card id: String) -> PushRefusal? {
        if permission == .switchedOff { return .denied }
        guard let card = cards[id] else {
            guard payload.aps.event == .start else { return .unknownCard }
            if payload.aps.attributes == nil { return .startWithoutAttributes }
            if payload.aps.alert == nil { return .startWithoutAlert }
            let liveCount = cards.values.count { $0.state.isLive }
            return liveCount < activitiesMax ? nil : .targetMaximumExceeded
        }
        if !card.state.isLive { return .alreadyEnded }
        if payload.aps.event == .start { return .alreadyStarted }
        if payload.aps.timestamp < card.timestamp { return .older }
        if payload.aps.timestamp == card.timestamp { return .repeated }
        return nil
    }

    /// Remembers the card of a start that the switch refuses as dismissed: its server counts it as shown until the card
    /// is reported.
    ///
    /// - Returns: the dismissal; nil where the switch refuses no start of an unknown card.
    public mutating func rememberDenied(_ payload: PushPayload, card id: String) -> CardEvent? {
        guard payload.aps.event == .start, let attributes = payload.aps.attributes, cards[id] == nil,
            refusal(of: payload, card: id) == .denied
        else { return nil }
        var card = newCard(payload.aps, attributes, card: id)
        Self.dismiss(&card, at: now)
        cards[id] = card
        return CardEvent(kind: .dismissed, card: card, at: now)
    }

    // MARK: - Events

    private mutating func start(_ push: PushPayload.APS, card id: String) -> CardEvent {
        guard let attributes = push.attributes else {
            preconditionFailure("A start without attributes is refused")
        }
        let card = newCard(push, attributes, card: id)
        cards[id] = card
        updatedAt = now
        return CardEvent(kind: .start, card: card, at: now)
    }

    private mutating func newCard(
        _ push: PushPayload.APS, _ attributes: GroceryDeliveryAttributes, card id: String
    ) -> PhoneCard {
        startsCount += 1
        return PhoneCard(
            id: id, attributes: attributes, content: push.contentState, state: .active, timestamp: push.timestamp,
            startedAt: now, ordinal: startsCount, staleAt: staleAt(of: push), endedAt: nil, dismissedAt: nil,
            relevance: push.relevanceScore ?? 0, isHiddenInIsland: false, alert: alert(of: push))
    }

    private mutating func update(_ push: PushPayload.APS, card id: String) -> CardEvent {
        var card = apply(push, card: id)
        if card.state == .stale { card.state = .active }
        cards[id] = card
        updatedAt = now
        return CardEvent(kind: .update, card: card, at: now)
    }

    private mutating func end(_ push: PushPayload.APS, card id: String) -> CardEvent {
        var card = apply(push, card: id)
        Self.end(&card, at: now, dismissalDate: push.dismissalDate)
        cards[id] = card
        return CardEvent(kind: .end, card: card, at: now)
    }

    /// Applies the common part of updates and ends: newer content, stale date and relevance.
    private func apply(_ push: PushPayload.APS, card id: String) -> PhoneCard {
        guard var card = cards[id] else { preconditionFailure("A push for an unknown card is refused") }
        card.timestamp = push.timestamp
        card.content = push.contentState
        card.staleAt = staleAt(of: push)
        card.relevance = push.relevanceScore ?? 0
        card.alert = alert(of: push) ?? card.alert
        return card
    }

    /// A stale date that has passed already counts from now, so that events keep their order.
    private func staleAt(of push: PushPayload.APS) -> Int? {
        push.staleDate.map { max($0, now) }
    }

    private func alert(of push: PushPayload.APS) -> PhoneAlert? {
        push.alert.map { PhoneAlert(content: $0, at: now) }
    }
}

extension ActivityStep {
    /// The state for a card that the system is about to end, and then keeps on the Lock Screen without updates.
    ///
    /// It omits every statement that only a later update could keep true: the arrival and the stops before; it shows
    /// the time of its data, and where to find the present state. An ended state stays unchanged.
    ///
    /// - Parameters:
    ///   - now: the time of the data, epoch seconds.
    ///   - endsAt: when the system ends the card, epoch seconds; it is stale from then on.
    public func lastWord(at now: Int, endsAt: Int) -> ActivityStep {
        guard case .show(let shown) = self else { return self }
        var content = shown.content
        content.arrival = nil
        content.detail = Phrase(.lastWord, ["at": String(now)])
        content.courier = content.courier.map {
            Courier(name: $0.name, vehicle: $0.vehicle, silentSince: $0.silentSince, isTracked: $0.isTracked)
        }
        content.buttons = content.buttons.filter { Verb(rawValue: $0.verb)?.isView == true }
        return .show(
            ShownActivity(
                attributes: shown.attributes, content: content, startAt: shown.startAt, staleAt: endsAt,
                relevance: shown.relevance, alert: shown.alert, promisedUntil: shown.promisedUntil))
    }

    /// Whether it is the last update of a card.
    public var isLastWord: Bool { content.detail?.code == PhraseCode.lastWord.rawValue }
}

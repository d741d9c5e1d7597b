extension ActivityStep {
    /// The same state for a card that the system is about to end, and then keeps on the Lock Screen without updates.
    ///
    /// It claims nothing that only the next update could keep true: no arrival and no stops before, and it says as of when
    /// it is and where to look instead. What ended is as it is.
    ///
    /// - Parameters:
    ///   - now: as of when it is true, epoch seconds.
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
                relevance: shown.relevance, alert: shown.alert))
    }

    /// Whether it is the last that a card is told.
    public var isLastWord: Bool { content.detail?.code == PhraseCode.lastWord.rawValue }
}

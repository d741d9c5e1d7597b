extension ActivityStep {
    /// The end of the card of a former episode: the delivery was reopened, and a later card shows it.
    ///
    /// The card must not end with the statement that the delivery was delivered, which is no longer true. An end that a
    /// phone has already received keeps its text until its dismissal: iOS ignores updates after an end.
    ///
    /// - Parameters:
    ///   - revision: of the later episode, so that a late end of the former one does not replace this one; nil where it is
    ///     unknown.
    ///   - now: epoch seconds.
    public func continued(at revision: Revision?, now: Int) -> ActivityStep {
        var content = self.content
        content.headline = Phrase(.continued)
        content.detail = nil
        content.arrival = nil
        content.courier = nil
        content.phase = .ended
        content.pin = nil
        // The end that the question is about is none any more.
        content.buttons = content.buttons.filter { button in
            Verb(rawValue: button.verb).map { $0.isView && $0 != .feedback } ?? false
        }
        content.revision = max(content.revision, revision ?? content.revision)
        return .ended(
            EndedActivity(attributes: attributes, content: content, endedAt: now, dismissal: .immediate, alert: nil))
    }

    /// Whether it is the end of a former episode's card.
    public var isContinued: Bool { isEnd && content.headline.code == PhraseCode.continued.rawValue }
}

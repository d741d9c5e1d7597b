package import LiveActivity
package import PhoneRules

extension PhoneCard {
    /// The card as a phone shows it that was pushed a step; it stays after its end.
    ///
    /// - Parameters:
    ///   - since: when it was pushed, epoch seconds.
    ///   - now: epoch seconds.
    package init(showing step: ActivityStep, since: Int, at now: Int) {
        switch step {
        case .show(let shown):
            let payload = PushPayload.update(shown, timestamp: since, alert: nil)
            self.init(
                id: shown.attributes.activity, attributes: shown.attributes, content: payload.aps.contentState,
                state: now < shown.staleAt ? .active : .stale, timestamp: since, startedAt: since, ordinal: 0,
                staleAt: shown.staleAt, relevance: shown.relevance)
        case .ended(let ended):
            let payload = PushPayload.end(ended, timestamp: since, alert: nil)
            self.init(
                id: ended.attributes.activity, attributes: ended.attributes, content: payload.aps.contentState,
                state: .ended, timestamp: since, startedAt: since, ordinal: 0, endedAt: ended.endedAt, relevance: 0)
        }
    }
}

import CardPresentation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules

/// A page's card: the state that phones receive, and this service's own state where that one is missing.
struct PageCard: Hashable, Sendable {
    let step: ActivityStep
    /// Since when, epoch seconds.
    let since: Int
    /// Whether another service would know more, and does not answer.
    let isOutdated: Bool

    /// - Parameters:
    ///   - wanted: the answer of `activity-dispatch`, or the content of its later intents; nil without one.
    ///   - isFollowed: whether it answered the last question.
    ///   - own: this service's own state.
    ///   - now: domain time.
    init(wanted: WantedCards.Card?, isFollowed: Bool = true, own: ActivityStep, of delivery: Delivery, now: Int) {
        let isOwn = OrderIntents.writesActivity(delivery) || own.isEnd
        let hasMore = !isOwn && Self.depends(onCourier: delivery.phase)
        guard let wanted, wanted.episode >= delivery.episode else {
            (step, since, isOutdated) = (own, now, hasMore)
            return
        }
        // The own state may still be under way to `activity-dispatch`, or have only a later stale date: no state is
        // prolonged for a page alone.
        let isNewer = wanted.episode == delivery.episode && own.isNews(after: wanted.step)
        let isAhead = own.content.revision.version > wanted.step.content.revision.version
        if isNewer, isOwn || (!isFollowed && isAhead) {
            (step, since, isOutdated) = (own, now, hasMore)
        } else {
            let holds = wanted.episode == delivery.episode && !Self.depends(onCourier: delivery.phase)
            step = holds ? wanted.step.prolonged(as: own) : wanted.step
            (since, isOutdated) = (wanted.at, !isFollowed && hasMore)
        }
    }

    /// Whether it changes with the courier's position: at the door nothing of it does.
    private static func depends(onCourier phase: OrderDomain.Phase) -> Bool {
        switch phase {
        case .onTheWay, .arriving: true
        case .received, .picking, .packed, .atDoor, .problem, .ended: false
        }
    }

    /// The card as a phone shows it that was pushed this state.
    ///
    /// - Parameter now: epoch seconds.
    func phoneCard(at now: Int) -> PhoneCard { PhoneCard(showing: step, since: since, at: now) }

    /// The next change of the page by time alone, epoch seconds: the remaining minutes, or its staleness.
    func changesAt(after now: Int) -> Int? {
        guard case .show(let shown) = step, now < shown.staleAt else { return nil }
        guard let timer = shown.content.timerRange(now: now) else { return shown.staleAt }
        let left = timer.upperBound - now
        return min(shown.staleAt, now + (left - 1) % 60 + 1)
    }
}

extension ActivityStep {
    /// The shown state with the later stale date of another state of the same version: `courier-eta` publishes no step
    /// more at the door or after a failed attempt, and the resync prolongs only what phones show.
    fileprivate func prolonged(as other: ActivityStep) -> ActivityStep {
        guard case .show(let shown) = self, case .show(let later) = other,
            later.content.revision.version == shown.content.revision.version, later.staleAt > shown.staleAt
        else { return self }
        return .show(
            ShownActivity(
                attributes: shown.attributes, content: shown.content, startAt: shown.startAt, staleAt: later.staleAt,
                relevance: shown.relevance, alert: shown.alert, promisedUntil: shown.promisedUntil))
    }
}

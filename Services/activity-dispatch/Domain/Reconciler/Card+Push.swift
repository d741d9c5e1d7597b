import FlowControl
import Foundation
import LiveActivity
import Messages
import WireCoding

/// One leased message to one card: the wanted state with a timestamp of its own.
struct Push: Hashable, Sendable {
    enum Event: String, CaseIterable, Codable, Sendable {
        case start, update, end
    }

    let card: UUID
    let activity: ActivityID
    let event: Event
    let priority: Decision.Priority
    /// Epoch seconds, higher than any that this card had.
    let timestamp: Int
    /// The wanted state that it carries.
    let wanted: ActivityStep
    let alert: ActivityAlert?
    /// Epoch seconds, on an end; 0 dismisses the card at once.
    private(set) var dismissal: Int?
    /// The card's state once the transport has accepted the push.
    let becomes: Card.State
    /// The card's fencing token when the push was leased.
    let fencingToken: Int
    let leasedAt: Date
    /// The APNs token: the device's start token on a start, else the card's; nil on the stream.
    var token: PushToken?
    /// Whether its priority is low because a budget was used up.
    var isDowngraded = false
    /// Whether it is a start that asks for the card's update token.
    var asksForToken = true
    /// The span in which its state was wanted, in the form of the header `traceparent`; nil without one.
    var traceparent: String?
    /// The activity whose question a summary's alert announces, and whose waiting card reserves the alert too.
    var announces: ActivityID?
    /// The size of the card's attributes at its start; nil where unknown.
    var attributesBytes: Int?
    /// The checked payload, as sent to the phone.
    private(set) var checkedPayload: PushPayload?
    /// The payload's bytes; nil before the check.
    private(set) var checkedBytes: [UInt8]?
}

extension Push {
    /// Renders the payload and verifies that a phone can decode it.
    mutating func check() throws(PayloadFault) {
        do {
            try check(beside: countedAttributesBytes)
        } catch {
            // Attributes that leave no room for content were never on a phone unchanged: a start shortens them.
            guard error == .tooLarge, attributesBytes == nil, event != .start,
                let shortened = payloadAsStart.aps.attributes
            else { throw error }
            try check(beside: shortened.encodedBytes)
        }
        if event == .start { attributesBytes = checkedPayload?.aps.attributes?.encodedBytes }
    }

    /// - Parameter attributes: bytes of attributes that the phone stores with the content.
    private mutating func check(beside attributes: Int) throws(PayloadFault) {
        let payload = rendered(beside: attributes)
        checkedBytes = try payload.checked(attributesBytes: isBareEnd ? 0 : attributes)
        checkedPayload = payload
    }

    /// Makes an end one without content, which always fits and is checked: its card leaves the screen at once.
    mutating func endAtOnce() throws(PayloadFault) {
        dismissal = 0
        try check()
    }

    /// Whether the push removes its card at once, so that it needs attributes alone.
    private var isBareEnd: Bool { event == .end && dismissal == 0 }

    /// Whether it costs a token of its card's budget of priority 10; starts have their own, and ends go in any case.
    var isUrgentUpdate: Bool { event == .update && priority == .high }

    /// Whether it costs a token of the device's budget of priority 10, which an end need not wait for.
    var isUrgent: Bool { event != .start && priority == .high }
}

extension Card {
    /// Reserves the resources of a push before it is sent: its timestamp, alert, budget and fencing token.
    ///
    /// From here on a crash costs at most this push: the next decision renders the wanted state of that time. A
    /// start counts as made from here on, since a second would be a second card.
    ///
    /// - Returns: nil when the decision sends nothing.
    mutating func lease(_ decision: Decision, _ next: ActivityStep, limits: Limits, now: Date) -> Push? {
        var wanted = next
        let event: Push.Event
        let priority: Decision.Priority
        let alert: ActivityAlert?
        let dismissal: Int?
        let becomes: State
        switch decision {
        case .start(let due):
            (event, priority, alert, dismissal) = (.start, .high, due, nil)
            becomes = limits.isStartCertain ? .active : .starting
        case .update(let urgency, let due):
            (event, priority, alert, dismissal, becomes) = (.update, urgency, due, nil, .active)
            if let startedAt, now >= startedAt.addingTimeInterval(limits.lastWordAfter) {
                wanted = wanted.lastWord(
                    at: now.epochSeconds, endsAt: startedAt.addingTimeInterval(Limits.systemActiveMax).epochSeconds)
            }
        case .end(let date, let state, let due):
            // Once more it costs no budget.
            (event, priority, alert, dismissal, becomes) = (
                .end, (hasSlot || isNotSentSinceStart) && !hasLost(next) ? .high : .low, due, date, state
            )
            endRepeatAt = nextEndRepeat(limits, now)
        case .rollOver, .withdrawStart, .close, .wait, .nothing: return nil
        }
        fencingToken += 1
        lastTimestamp = max(now.epochSeconds, lastTimestamp + 1)
        lastPushAt = now
        if let id = alert?.id { reserve(id) }
        if priority == .high, event == .update { urgentPushes.spend(limits.urgentPushes, at: now) }
        if event == .start {
            state = .starting
            startedAt = now
        }
        inFlight = InFlight(event: event, becomes: becomes, alert: alert?.id)
        return Push(
            card: id, activity: activity, event: event, priority: priority, timestamp: lastTimestamp, wanted: wanted,
            alert: alert, dismissal: dismissal, becomes: becomes, fencingToken: fencingToken, leasedAt: now)
    }

    /// When an end that is leased now is sent once more.
    private func nextEndRepeat(_ limits: Limits, _ now: Date) -> Date? {
        if let afterStart = endRepeatAfterStart(now) { return afterStart }
        guard !state.isOnScreen, let endRepeatAt, let lastPushAt, !isNotSentSinceStart else {
            return limits.endRepeatedAfter.map { now.addingTimeInterval($0) }
        }
        let wait = endRepeatAt.timeIntervalSince(lastPushAt) * Limits.endRepeatFactor
        return wait <= Limits.endRepeatWaitMax ? now.addingTimeInterval(wait) : nil
    }

    /// Records the result of a push, unless a newer one was leased since.
    ///
    /// A push that certainly changed nothing on the phone releases its reserved alert and budget. A start that the app
    /// has confirmed meanwhile stays confirmed, whatever its result.
    /// - Returns: whether the push was this card's newest.
    mutating func record(_ push: Push, _ result: PushResult, now: Date, timing: RetryTiming = .init()) -> Bool {
        guard push.fencingToken == fencingToken else { return false }
        switch result {
        case .accepted: recordAccepted(push)
        case .refused where result.isMistake:
            refund(push)
            recordMistake(push, result, now, timing)
        case .notSent, .refused:
            refund(push)
            // A refusal of a start is of the device's start token, which waits.
            if push.event != .start { failures.backOff(after: result, now: now, timing: timing) }
        case .unknown:
            // The end, or the start, may have arrived nevertheless.
            if push.event != .start { failures.backOff(after: result, now: now, timing: timing) }
            if !state.isOpen || state == .ended { inFlight = nil }
            return true
        case .halted: refund(push)
        case .gone(let token, let since, _):
            refund(push)
            if push.event != .start { recordGone(token, since, of: push, result, now, timing) }
        }
        inFlight = nil
        return true
    }

    /// Undoes a leased start whose bytes were never sent: its process died before.
    mutating func withdrawStart() {
        if let id = inFlight?.alert { release(id) }
        (state, startedAt, inFlight) = (.waiting, nil, nil)
    }

    private mutating func refund(_ push: Push) {
        if let id = push.alert?.id { release(id) }
        if push.isUrgentUpdate { urgentPushes.refund() }
        if push.event == .start, state == .starting { (state, startedAt) = (.waiting, nil) }
    }

    private mutating func recordGone(
        _ token: String, _ since: Date?, of push: Push, _ result: PushResult, _ now: Date, _ timing: RetryTiming
    ) {
        guard let updateToken, updateToken.value == token else { return }
        if updateToken.isGone(token, since: since) {
            if isScheduled {
                // Its end is sent once more all the same: what a token answers before the start is not documented.
                guard push.event == .end else { return unschedule() }
                state = push.becomes
                return
            }
            // The next is another, whatever the phone's clock showed when it came.
            self.updateToken = nil
            if state.isOnScreen { state = stateWithoutToken(after: push) }
            // Of a card that is over nothing is left to end.
            endRepeatAt = nil
        } else {
            failures.backOff(after: result, now: now, timing: timing)
        }
    }

    /// The state of a card whose newest push was answered that its token is gone.
    ///
    /// A card that was to leave the screen is over as it was to be. One whose delivery has ended may still be there with
    /// another token, which its app has yet to upload.
    private func stateWithoutToken(after push: Push) -> State {
        push.event == .end && push.becomes != .ended ? push.becomes : .lost
    }

    private mutating func recordAccepted(_ push: Push) {
        failures = Failures()
        if push.event == .update { startByItself(push.leasedAt) }
        if push.event == .end, isScheduled { state = push.becomes }
        // The start may have been confirmed, or the card swiped away, before the result arrived.
        if push.event != .start || state == .starting { state = state.isOnScreen ? push.becomes : state }
        let revision = push.wanted.content.revision
        if push.event == .update, let sent {
            if sent.content.revision == revision { refreshed = revision }
        } else {
            refreshed = nil
        }
        sent = push.wanted
        if push.priority == .high { urgentArrival = push.wanted.content.arrival?.to }
        if push.event == .end { dismissedAt = Date(timeIntervalSince1970: TimeInterval(push.dismissal ?? 0)) }
    }

    /// Closes the card's record without a push.
    ///
    /// A card that the system has ended stays on the Lock Screen for four hours more.
    mutating func close(as state: State) {
        self.state = state
        if state == .ended, let startedAt {
            dismissedAt = startedAt.addingTimeInterval(
                Limits.systemActiveMax + TimeInterval(Dismissal.keptSecondsMax))
        }
    }

    /// One push's fault affects neither another state nor the card's end: neither waits.
    private mutating func recordMistake(_ push: Push, _ result: PushResult, _ now: Date, _ timing: RetryTiming) {
        failures.add(result)
        rejected = RejectedContent(
            revision: push.wanted.content.revision,
            fault: result.failureReason == "PayloadTooLarge" ? .tooLarge : .unreadable,
            refusal: .init(event: push.event, retryAt: timing.next(after: result, failures: failures.count, now: now)))
    }
}

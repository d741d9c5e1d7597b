extension ActivityStep {
    /// Seconds before the promised window in which a card starts, where picking has not begun by then.
    public static let startsBeforePromiseSeconds = 90 * 60

    /// The wanted state of a delivery's activity, or its end.
    ///
    /// - Parameters:
    ///   - arrival: the estimated arrival; nil without an estimate.
    ///   - legProgress: the completed share of the leg from store to door, 0 to 1, where the writer knows.
    ///   - step: orders the contents of one version; 0 is that of the status alone.
    ///   - freshUntil: the time until which the arrival holds without another estimate, epoch seconds; by default its
    ///     end.
    ///   - dismissal: the times for which ends stay on the Lock Screen.
    ///   - now: the content's time, epoch seconds, from which its age counts; by default the status's time.
    public static func after(
        _ delivery: DeliverySnapshot, arrival: Window?, legProgress: Double? = nil, step: Int,
        freshUntil: Int? = nil, dismissal policy: DismissalPolicy = .standard, now: Int? = nil
    ) -> ActivityStep {
        let attributes = GroceryDeliveryAttributes(delivery)
        let content = GroceryDeliveryAttributes.ContentState(
            delivery, arrival: arrival, legProgress: legProgress, step: step)
        if let dismissal = policy.dismissal(of: delivery.status) {
            return .ended(
                EndedActivity(
                    attributes: attributes, content: content, endedAt: delivery.endKnownOrStatusSince,
                    dismissal: dismissal,
                    alert: delivery.alert(arrival: nil, keptFor: dismissal)))
        }
        let startsAt = delivery.promise.from - startsBeforePromiseSeconds
        return .show(
            ShownActivity(
                attributes: attributes, content: content,
                startAt: min(delivery.pickingSince ?? startsAt, startsAt),
                staleAt: delivery.staleAt(arrival: content.arrival, madeAt: now, freshUntil: freshUntil),
                relevance: delivery.relevance(arrival: content.arrival),
                alert: delivery.alert(arrival: content.arrival, keptFor: nil),
                promisedUntil: delivery.promise == delivery.originalPromise ? nil : delivery.promise.to))
    }
}

extension DeliverySnapshot {
    /// When the content becomes stale: with an estimate not after its end, without one as soon as a change was due.
    func staleAt(arrival: Window?, madeAt: Int?, freshUntil: Int?) -> Int {
        let minute = 60
        let base = max(statusSince, madeAt ?? statusSince)
        if let arrival {
            if courierTracking != .tracked { return arrival.to }
            return min(arrival.to, isSilent ? base + 2 * minute : max(freshUntil ?? arrival.to, base + minute))
        }
        if isOnHold { return base + 60 * minute }
        if isWaitingForCustomer, let until = proposal?.answerUntil { return max(until, base + minute) }
        switch status {
        case .placed, .accepted, .picking, .staged: return max(promise.from, base + 30 * minute)
        case .pickedUp, .enRoute:
            if courierTracking != .tracked { return max(promise.to, base + 30 * minute) }
            return base + (isSilent ? 2 : 15) * minute
        case .arriving: return base + (isSilent ? 2 : 10) * minute
        case .atDoor: return base + 15 * minute
        case .attempted: return base + 30 * minute
        case .returning: return base + 60 * minute
        case .delivered, .returned, .cancelled, .failed: return base
        }
    }

    /// The relevance among several cards: cards with a question first, then the nearest arrival.
    func relevance(arrival: Window?) -> Double {
        if isEnded { return Relevance.ended }
        if isWaitingForCustomer { return Relevance.needsCustomer }
        switch status {
        case .attempted: return Relevance.attempted
        case .atDoor: return isHandedOver ? Relevance.nothingArrives : Relevance.atDoor
        case .returning: return Relevance.nothingArrives
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .delivered, .returned, .cancelled,
            .failed:
            return Relevance.arriving(at: (arrival ?? promise).to)
        }
    }
}

/// The relevance scores of cards on one phone; only their order matters to it.
enum Relevance {
    static let summary = 1000.0
    static let needsCustomer = 900.0
    static let attempted = 890.0
    static let atDoor = 850.0
    static let nothingArrives = 1.0
    static let ended = 0.0

    /// A relevance between 2 and 800, higher for an earlier arrival.
    ///
    /// No clock is read, so that cards pushed at different times compare. Minutes apart differ in the fifth decimal.
    static func arriving(at epochSeconds: Int) -> Double {
        // 2100-01-01, after which all arrivals are equal.
        let lastMinute = 4_102_444_800 / 60
        let minute = min(max(epochSeconds / 60, 0), lastMinute)
        let score = 2 + 798 * Double(lastMinute - minute) / Double(lastMinute)
        return (score * 1_000_000).rounded() / 1_000_000
    }
}

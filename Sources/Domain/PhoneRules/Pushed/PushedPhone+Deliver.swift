import LiveActivity

/// The system's handling of pushes.
extension PushedPhone {
    /// Delivers a push that Apple's service accepted for one of this phone's tokens.
    ///
    /// - Parameter envelope: the push's body where it was read already.
    /// - Returns: the outcomes of the push and of a stored push that it replaces, after the effects of time.
    public mutating func deliver(
        _ push: PendingPush, envelope: PushEnvelope? = nil, at now: Int
    ) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard isOnline else { return effects + store(push) }
        return effects + apply(push, envelope ?? PushEnvelope(push.bytes), at: now)
    }

    /// Cuts the phone off, or brings it back: then the one push that was kept for it arrives.
    public mutating func setOnline(_ isOnline: Bool, at now: Int) -> [PhoneEffect] {
        var effects = advance(to: now)
        guard isOnline != self.isOnline else { return effects }
        self.isOnline = isOnline
        guard isOnline else { return effects }
        if let push = stored {
            stored = nil
            if let expiration = push.expiration, expiration <= now {
                effects.append(.settled(id: push.id, .expired))
            } else {
                effects += apply(push, PushEnvelope(push.bytes), at: now)
            }
        }
        return effects + notices([.launched], at: now)
    }

    /// One push is kept for each app while the phone is offline, the newest, unless it is not to be kept.
    private mutating func store(_ push: PendingPush) -> [PhoneEffect] {
        if push.expiration == 0 { return [.settled(id: push.id, .notStored)] }
        let former = stored.map { PhoneEffect.settled(id: $0.id, .replaced) }
        stored = push
        return [former, .settled(id: push.id, .stored)].compactMap { $0 }
    }

    private mutating func apply(_ push: PendingPush, _ envelope: PushEnvelope?, at now: Int) -> [PhoneEffect] {
        guard let envelope, let event = envelope.event, let timestamp = envelope.timestamp,
            let issued = tokens[push.token]
        else { return [.settled(id: push.id, .unreadable)] }
        if issued.goneSince != nil { return [.settled(id: push.id, .deafToken)] }
        let outcome: PushOutcome
        var effects: [PhoneEffect] = []
        switch (event, issued.purpose) {
        case (.start, .start): (outcome, effects) = start(push, envelope, at: now)
        case (.update, .update(let instance)), (.end, .update(let instance)):
            if push.priority >= 10, !budget.spend(at: now) {
                outcome = .budgetExhausted
            } else {
                (outcome, effects) = change(instance, timestamp, envelope, at: now)
            }
        case (.start, .update), (.update, .start), (.end, .start): outcome = .otherToken
        }
        return effects + [.settled(id: push.id, outcome)]
    }

    // MARK: - Starts

    private mutating func start(
        _ push: PendingPush, _ envelope: PushEnvelope, at now: Int
    ) -> (PushOutcome, [PhoneEffect]) {
        guard startBudget.spend(at: now) else { return (.startBudgetExhausted, []) }
        if let refusal = refusal(ofStart: envelope, bytes: push.bytes.count) { return (refusal, []) }
        guard let payload = envelope.payload(keeping: nil) else { return (.undecodable, []) }
        let instance = Self.instanceID(seed: settings.tokenSeed, number: instancesCount + 1)
        let time = deviceTime(now)
        if let refusal = phone.refusal(of: payload, card: instance) { return (PushOutcome(refusal), []) }
        instancesCount += 1
        let asksForToken = settings.osVersion < .inputPushToken || envelope.asksForUpdateToken
        instances[instance] = Instance(
            attributesBytes: envelope.attributesBytes,
            tokenAt: asksForToken ? now + settings.tokenDelaySeconds : nil)
        if asksForToken { issueToken(for: .update(instance: instance)) }
        let events = phone.receive(payload, card: instance, at: time)
        var effects = events.map(PhoneEffect.screen)
        switch app {
        case .running: effects += notices([.started(instance: instance)], at: now)
        case .inBackground:
            app = .inBackground(until: now + Self.backgroundSeconds)
            effects += notices([.started(instance: instance)], at: now)
        case .notRunning:
            app = .inBackground(until: now + Self.backgroundSeconds)
            effects += notices([.launched, .started(instance: instance)], at: now)
        case .forceQuit: break
        }
        effects += tokensDue(at: now)
        forgetInstances()
        return (.applied, effects)
    }

    private func refusal(ofStart envelope: PushEnvelope, bytes: Int) -> PushOutcome? {
        if envelope.hasChannel, settings.osVersion < .inputPushToken { return .channelUnsupported }
        guard envelope.attributes != nil else { return .startWithoutAttributes }
        guard envelope.attributesType == settings.attributesType else { return .otherAttributesType }
        guard envelope.decodedAlert != nil else { return .startWithoutAlert }
        guard bytes <= PushPayload.payloadBytesMax,
            envelope.attributesBytes + envelope.contentBytes <= Self.cardBytesMax
        else { return .tooLarge }
        return nil
    }

    // MARK: - Updates and ends

    /// The cheap questions come first: of a burst, most pushes are decoded never.
    private mutating func change(
        _ instance: String, _ timestamp: Int, _ envelope: PushEnvelope, at now: Int
    ) -> (PushOutcome, [PhoneEffect]) {
        guard let card = phone[card: instance], let known = instances[instance] else { return (.alreadyEnded, []) }
        if phone.permission == .switchedOff { return (.denied, []) }
        if !card.state.isLive { return (.alreadyEnded, []) }
        if card.state == .pending, !settings.pendingTakesPushes { return (.notStarted, []) }
        if timestamp < card.timestamp { return (.older, []) }
        if timestamp == card.timestamp { return (.repeated, []) }
        guard envelope.bytes.count <= PushPayload.payloadBytesMax,
            known.attributesBytes + envelope.contentBytes <= Self.cardBytesMax
        else { return (.tooLarge, []) }
        guard let payload = envelope.payload(keeping: card.content) else { return (.undecodable, []) }
        if let refusal = phone.refusal(of: payload, card: instance) { return (PushOutcome(refusal), []) }
        let events = phone.receive(payload, card: instance, at: deviceTime(now))
        return (.applied, screen(events, at: now))
    }
}

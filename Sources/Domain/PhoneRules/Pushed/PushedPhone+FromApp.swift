public import LiveActivity

/// The app's own changes of cards, and the effects of a tap on a button.
extension PushedPhone {
    /// Starts a card for the running app (`Activity.request(…, pushType: .token)`), without using a budget.
    ///
    /// - Parameter alert: schedules the card for its `startAt` (iOS 26), when the system starts it with this alert and
    ///   without the app; `pendingHasToken` decides whether its token comes before that.
    /// - Returns: what happened, the app's notice of the start among it, of a pending card too.
    /// - Throws: ``LocalStartRefusal``.
    public mutating func startFromApp(
        _ shown: ShownActivity, scheduledWith alert: PushAlert? = nil, at now: Int
    ) throws(LocalStartRefusal) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard case .running = app else { throw .visibility }
        let attributesBytes = shown.attributes.encodedBytes
        guard attributesBytes + shown.content.encodedBytes <= Self.cardBytesMax else { throw .attributesTooLarge }
        let instance = Self.instanceID(seed: settings.tokenSeed, number: instancesCount + 1)
        let events = try phone.startFromApp(shown, card: instance, scheduledWith: alert, at: deviceTime(now))
        instancesCount += 1
        let isPending = phone[card: instance]?.state == .pending
        let from = isPending && !settings.pendingHasToken ? shown.startAt - clockSkewSeconds : now
        instances[instance] = Instance(
            attributesBytes: attributesBytes, tokenAt: from + settings.tokenDelaySeconds)
        issueToken(for: .update(instance: instance))
        forgetInstances()
        let pending = isPending ? notices([.started(instance: instance)], at: now) : []
        return effects + screen(events, at: now) + pending + tokensDue(at: now)
    }

    /// Puts content on a card for the running app (`Activity.update`), also in the background, without using a budget.
    ///
    /// - Parameter timestamp: orders it among pushes from iOS 17.2 on; before, the revision that is shown does.
    /// - Returns: what happened, the app's notice of the new content among it; nothing where the phone has newer content.
    public mutating func updateFromApp(
        _ shown: ShownActivity, instance: String, timestamp: Int, at now: Int
    ) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard isAppRunning(at: now) else { return effects }
        let isOrdered = settings.osVersion >= .pushToStart
        let events = phone.updateFromApp(
            shown, card: instance, timestamp: isOrdered ? timestamp : nil, at: deviceTime(now))
        return effects + screen(events, at: now)
    }

    /// Taps a button of a card that is on the Lock Screen.
    ///
    /// From iOS 17 on a button that acts has the app press its link, which the system launches in the background where it
    /// does not run. Any other button opens the app. That a tap launches an app that was force-quit, and ends that state,
    /// is our assumption: the person has asked for it.
    public mutating func tapButton(_ verb: String, instance: String, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard let card = phone[card: instance], card.state.isOnLockScreen,
            let button = card.content.buttons.first(where: { $0.verb == verb })
        else { return effects }
        guard settings.osVersion >= .actingButtons, button.press != .opensApp else {
            return effects + launchApp(at: now)
        }
        var noticed = [AppNotice.pressed(instance: instance, link: button.url)]
        switch app {
        case .running: break
        case .inBackground: app = .inBackground(until: now + Self.backgroundSeconds)
        case .notRunning, .forceQuit:
            app = .inBackground(until: now + Self.backgroundSeconds)
            noticed.insert(.launched, at: 0)
        }
        return effects + notices(noticed, at: now) + tokensDue(at: now)
    }
}

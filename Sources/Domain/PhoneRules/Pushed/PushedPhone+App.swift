/// The app on the phone: what it sees, and when.
extension PushedPhone {
    /// The app's cards (`Activity.activities`), in the order they started.
    public var activities: [AppActivity] { phone.liveCards.map { activity(of: $0) } }

    /// One card as the app sees it; nil for one that is not remembered.
    public func activity(_ instance: String) -> AppActivity? { phone[card: instance].map { activity(of: $0) } }

    private func activity(of card: PhoneCard) -> AppActivity {
        AppActivity(
            instance: card.id, attributes: card.attributes, content: card.content, state: card.state,
            staleAt: card.staleAt, relevance: card.relevance, updateToken: updateToken(of: card.id))
    }

    /// Whether the app is there to notice anything.
    public func isAppRunning(at now: Int) -> Bool {
        switch app {
        case .running: true
        case .inBackground(let until): now < until
        case .notRunning, .forceQuit: false
        }
    }

    /// Lets time pass: cards become stale, end and leave, tokens arrive, and the background time of the app ends.
    public mutating func advance(to now: Int) -> [PhoneEffect] {
        let events = phone.advance(to: deviceTime(now))
        let effects = screen(events, at: now) + tokensDue(at: now)
        if case .inBackground(let until) = app, until <= now { app = .notRunning }
        return effects
    }

    /// When time alone will next change something, epoch seconds; nil when it never will.
    public func nextChange(after now: Int) -> Int? {
        var times = app == .forceQuit ? [] : instances.values.compactMap { $0.hasToken ? nil : $0.tokenAt }
        if let change = phone.nextChangeAt { times.append(change - clockSkewSeconds) }
        if case .inBackground(let until) = app { times.append(until) }
        if let alertEnd = phone.alertEnd(at: deviceTime(now)) { times.append(alertEnd - clockSkewSeconds) }
        return times.min()
    }

    /// Ends the app's process, by the system or a crash: the cards stay, and the next start launches it.
    public mutating func killApp(at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        if app != .forceQuit { app = .notRunning }
        return effects
    }

    /// Ends the app's process as its person does, in the app switcher.
    ///
    /// The cards stay, pushes change them, and starts are shown. No start launches the app, so that the tokens of cards
    /// that start from now on come when it is opened.
    public mutating func forceQuitApp(at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        app = .forceQuit
        return effects
    }

    /// The person leaves the app, which continues in the background for half a minute.
    public mutating func leaveApp(at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard case .running = app else { return effects }
        app = .inBackground(until: now + Self.backgroundSeconds)
        return effects + notices([.leftForeground], at: now)
    }

    /// Opens the app.
    public mutating func launchApp(at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        app = .running
        return effects + notices([.launched], at: now) + tokensDue(at: now)
    }

    /// Ends a card from the app, at once (`end(_:dismissalPolicy: .immediate)`); the app gets no notice of its own
    /// change.
    public mutating func endFromApp(instance: String, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        return effects + phone.endFromApp(card: instance, at: deviceTime(now)).map(PhoneEffect.screen)
    }

    // MARK: - What the person does

    /// Swipes a card off the Lock Screen.
    public mutating func swipe(instance: String, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        return effects + screen(phone.swipeOnLockScreen(card: instance, at: deviceTime(now)), at: now)
    }

    /// Moves the switch for Live Activities in Settings.
    public mutating func switchLiveActivities(on isOn: Bool, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        let events = phone.switchLiveActivities(on: isOn, at: deviceTime(now))
        return effects + screen(events, at: now) + notices([.registrationChanged], at: now)
    }

    /// Moves the switch for frequent updates: the hour's budget changes with it.
    public mutating func switchFrequentUpdates(on isOn: Bool, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        allowsFrequentUpdates = isOn
        budget.size = isOn ? settings.frequentBudget : settings.standardBudget
        return effects + notices([.registrationChanged], at: now)
    }

    /// Uses up the hour's pushes of priority 10, and the starts where asked.
    public mutating func exhaustBudgets(updates: Bool, starts: Bool, at now: Int) {
        if updates { budget.exhaust(at: now) }
        if starts { startBudget.exhaust(at: now) }
    }

    // MARK: - What the app notices

    /// Notices reach an app that runs and has a network; what it misses, it sees at its next launch.
    func notices(_ notices: [AppNotice], at now: Int) -> [PhoneEffect] {
        isOnline && isAppRunning(at: now) ? notices.map(PhoneEffect.app) : []
    }

    func screen(_ events: [CardEvent], at now: Int) -> [PhoneEffect] {
        events.flatMap { event -> [PhoneEffect] in
            let notice: AppNotice =
                switch event.kind {
                case .start: .started(instance: event.card.id)
                case .update: .content(instance: event.card.id)
                case .stale, .end, .dismissed: .state(instance: event.card.id)
                }
            return [.screen(event)] + notices([notice], at: now)
        }
    }

    /// Hands over update tokens whose time has come.
    mutating func tokensDue(at now: Int) -> [PhoneEffect] {
        guard app != .forceQuit else { return [] }
        let isDue: (Instance) -> Bool = { known in !known.hasToken && known.tokenAt.map { $0 <= now } ?? false }
        guard instances.values.contains(where: isDue) else { return [] }
        var effects: [PhoneEffect] = []
        for instance in instances.filter({ isDue($0.value) }).keys.sorted() {
            instances[instance]?.hasToken = true
            effects += notices([.updateToken(instance: instance)], at: now)
        }
        return effects
    }

    mutating func forgetInstances() {
        guard instances.count > Phone.rememberedCardsMax * 2 else { return }
        instances = instances.filter { phone[card: $0.key] != nil }
    }
}

import DomainTime
import Foundation
import InterfaceTexts
import LiveActivity
import OrderDomain
import PhoneRules
import WireCoding

/// One device that follows its cards: applies pushes, time and the person's keys to a phone.
///
/// It has no loops of its own; `TrackRun` calls it from a feed, a clock and a keyboard. It saves the phone's state after
/// every push, before the next is read.
actor TrackSession {
    /// Wall time that the answer to a press is shown.
    static let answerTime = Duration.seconds(8)
    /// Wall time that details are shown.
    static let detailsTime = Duration.seconds(120)
    /// Wall time between two reports of the screen, however often it changes.
    static let shownReportInterval = Duration.seconds(5)

    struct Actions: Sendable {
        /// Presses a button's link.
        let press: @Sendable (String) async throws -> PressAnswer
        /// Reports changes of this screen to the server.
        let report: @Sendable ([ReportBody]) async -> Void
        /// Registers with the server whether the person allows cards here; false when it has not accepted it.
        let permit: @Sendable (Bool) async -> Bool
        let save: @Sendable (DeviceState) throws -> Void
        /// Records the customer's word about a delivery, by its id.
        let feedback: @Sendable (String, DeliveryFeedback.Kind) async throws -> Void
    }

    var state: ScreenState
    private var lastSequence: String?
    private var registration: String?
    private var hasShownCard: Bool
    private var hasBeenOpen = false
    /// Whether the person's last choice is not yet registered with the server.
    private var isPermissionUnsynchronized = false
    /// Changes that are being sent, and those that were when the session was cancelled.
    var changesSent = 0
    var isWorkingOnKey = false
    /// Characters that were pressed and wait for the end of an earlier key's action.
    private var enqueuedCharacters = 0
    private var hasLeft = false
    /// The newest push on each card's screen without a report to the server.
    private var unreported: [String: ReportBody] = [:]
    private var lastShownReport: Duration?
    let clock: DomainClock
    let words: Words
    let output: any TrackOutput
    let actions: Actions
    /// Wall time since the session began.
    let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - presentation: the side of the phone that is shown first; keys change it.
    ///   - elapsed: wall time since the session began.
    init(
        _ saved: DeviceState, clock: DomainClock, words: Words, presentation: Presentation = .lockScreen,
        output: any TrackOutput, actions: Actions, elapsed: @escaping @Sendable () -> Duration = wallTimeFromNow()
    ) {
        state = ScreenState(phone: saved.phone, now: clock.now.epochSeconds)
        state.side = presentation == .lockScreen ? .lockScreen : .island
        state.phone.isIslandExpanded = presentation == .expanded
        if presentation == .minimal, state.phone.otherApps.isEmpty { state.phone.otherApps = [.longBefore] }
        state.ownTimeZone = TimeZone.current.identifier
        lastSequence = saved.lastSequence
        registration = saved.registration
        hasShownCard = !saved.phone.liveCards.isEmpty
        self.clock = clock
        self.words = words
        self.output = output
        self.actions = actions
        self.elapsed = elapsed
    }

    static func wallTimeFromNow() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }

    /// Whether there was a card and every one has left the screen.
    var isOver: Bool { hasShownCard && state.phone.liveCards.isEmpty }

    var screen: ScreenState { state }

    /// The sentences about changes whose outcome is unknown, and about keys and confirmed actions that leaving cancels.
    var sentencesOnLeaving: [String] {
        (changesSent > 0 ? [words.texts("action.unknown_outcome")] : [])
            + (enqueuedCharacters > 0 ? [words.texts("action.not_begun")] : [])
            + state.keys.confirmed.map { words.notDoneOnLeaving($0.action) }
    }

    // MARK: - Inputs

    /// Shows the cards that are there already, as the last run left them.
    func begin() async throws {
        try await publish(advanceToNow())
        for card in state.phone.liveCards {
            try output.changed(CardEvent(kind: Self.kind(of: card.state), card: card, at: state.now))
        }
        show()
    }

    func receive(_ event: FeedEvent) async throws {
        switch event {
        case .registered(let registration):
            try forgetCards(unlessOf: registration)
        case .connected:
            state.connection = .open
            hasBeenOpen = true
            await reportAll()
        case .lost(_, let silence):
            if case .lost = state.connection { break }
            let lostAt = clock.now.addingTimeInterval(-(silence / .seconds(1)) * clock.rate)
            state.connection = .lost(since: hasBeenOpen ? lostAt.epochSeconds : nil)
        case .refused(let screensMax, _):
            state.connection = .full(screensMax: screensMax)
        case .unreadable(let sequence, _):
            lastSequence = sequence
            try save()
        case .push(let push):
            state.now = clock.now.epochSeconds
            let version = state.phone[card: push.card]?.content.revision.version
            let events = state.phone.receive(push.payload, card: push.card, at: state.now)
            let denied = state.phone.rememberDenied(push.payload, card: push.card)
            if state.phone[card: push.card]?.content.revision.version != version { closeDetails(of: push.card) }
            lastSequence = push.sequence
            try save()
            try await publish(events)
            // As what the switch removed: once the server has registered the choice, and then at once.
            if let denied, !isPermissionUnsynchronized { await report([denied]) }
        }
        show()
    }

    /// Details are of one version of a delivery.
    private func closeDetails(of card: String) {
        if state.answers[card]?.lines.isEmpty == false { state.answers[card] = nil }
    }

    /// The person leaves: waiting actions are cancelled.
    func leave() { hasLeft = true }

    /// Counts a key until ``pressEnqueued(_:)``; one that is no character only moves the focus or declines.
    func enqueue(_ key: Key) {
        if case .character = key { enqueuedCharacters += 1 }
    }

    /// Presses a key that was enqueued, unless the person has left meanwhile.
    func pressEnqueued(_ key: Key) async throws {
        // A cancelled stream still delivers the keys that are buffered.
        guard !hasLeft, !Task.isCancelled else { return }
        if case .character = key { enqueuedCharacters -= 1 }
        _ = try await press(key)
    }

    /// Advances the phone to now, and executes confirmed actions that are due.
    func tick() async throws {
        try await publish(advanceToNow())
        // Where the stream is closed, opening it registers the choice.
        if isPermissionUnsynchronized, case .open = state.connection {
            await synchronizePermission()
            // Reports that waited for the choice.
            if !isPermissionUnsynchronized { await reportAll() }
        }
        await reportShown()
        let now = elapsed()
        state.answers = state.answers.filter { $0.value.until > now }
        show()
        // While a key's action runs, the next key may cancel the confirmed one.
        while !hasLeft, !isWorkingOnKey, !Task.isCancelled, let due = state.keys.takeDue(at: now) {
            try await perform(due.action, on: due.card)
            show()
        }
    }

    /// Records the keys' present meanings, and draws the screen.
    func show() {
        state.keepFocus()
        state.keys.observe(state.focusedCard, among: state.phone.lockScreen, at: elapsed())
        output.show(state)
    }

    // MARK: - Keys

    func perform(_ action: CardAction, on card: String) async throws {
        switch action {
        case .press(let button):
            guard let card = state.phone[card: card] else { return }
            guard Verb(rawValue: button.verb)?.isView != true else { return await press(button, on: card) }
            changesSent += 1
            await press(button, on: card)
            if !Task.isCancelled { changesSent -= 1 }
        case .dismiss:
            try await saveAndPublish(state.phone.swipeOnLockScreen(card: card, at: clock.now.epochSeconds))
        case .switchOff:
            try await allow(false)
        }
    }

    /// Answers the question whether cards are allowed, or moves the switch.
    ///
    /// What the switch removed is reported once the server has registered the choice: before, it would count as swiped
    /// away. Where the server has not accepted it, the reports follow the registration that it accepts. A start that
    /// the switch has refused meanwhile is reported with them.
    func allow(_ isOn: Bool) async throws {
        let events = state.phone.switchLiveActivities(on: isOn, at: clock.now.epochSeconds)
        isPermissionUnsynchronized = true
        try save()
        try showChanges(events)
        await synchronizePermission()
        guard !isPermissionUnsynchronized else { return }
        if isOn { await report(events) } else { await reportAll() }
    }

    private func synchronizePermission() async {
        let isOn = state.phone.permission != .switchedOff
        let isRegistered = await actions.permit(isOn)
        // The person may have chosen again meanwhile; that choice is registered by its own call.
        if isRegistered, isOn == (state.phone.permission != .switchedOff) { isPermissionUnsynchronized = false }
    }

    // MARK: - Effects

    private static func kind(of state: PhoneCard.State) -> CardEvent.Kind {
        switch state {
        case .pending, .active: .update
        case .stale: .stale
        case .ended: .end
        case .dismissed: .dismissed
        }
    }

    private func advanceToNow() -> [CardEvent] {
        state.now = clock.now.epochSeconds
        return state.phone.advance(to: state.now)
    }

    /// Stores the result of the person's action at once.
    private func saveAndPublish(_ events: [CardEvent]) async throws {
        try save()
        try await publish(events)
    }

    private func publish(_ events: [CardEvent]) async throws {
        try showChanges(events)
        await report(events)
    }

    private func report(_ events: [CardEvent]) async {
        guard !events.isEmpty else { return }
        await actions.report(events.compactMap { ReportBody($0) })
    }

    private func showChanges(_ events: [CardEvent]) throws {
        guard !events.isEmpty else { return }
        hasShownCard = true
        for event in events { try output.changed(event) }
        if state.phone.islandCardShown == nil { state.phone.isIslandExpanded = false }
        for event in events { unreported[event.card.id] = ReportBody(shown: event.card, at: event.at) }
    }

    /// Reports the shown states of cards, each with its newest push only, at the report interval.
    private func reportShown() async {
        guard case .open = state.connection, !unreported.isEmpty else { return }
        if let last = lastShownReport, elapsed() - last < Self.shownReportInterval { return }
        lastShownReport = elapsed()
        let reports = unreported.values.sorted { ($0.card ?? "") < ($1.card ?? "") }
        unreported = [:]
        await actions.report(reports)
    }

    /// Reports the state of every card: the server may have missed reports while the stream was down.
    ///
    /// Their shown states follow after the arrival of missed pushes.
    private func reportAll() async {
        for card in state.phone.rememberedCards {
            unreported[card.id] = ReportBody(shown: card, at: state.now)
        }
        await actions.report(state.phone.rememberedCards.compactMap { ReportBody($0, now: state.now) })
    }

    /// Removes the cards of another registration.
    ///
    /// They belong to a removed server or a lost database: the present server would neither change nor end them. The
    /// present server's events for this device follow.
    private func forgetCards(unlessOf registration: String?) throws {
        guard registration != self.registration else { return }
        self.registration = registration
        lastSequence = nil
        state.now = clock.now.epochSeconds
        let events = state.phone.forgetCards(at: state.now)
        hasShownCard = false
        try save()
        // Not reported: the server knows none of them.
        for event in events { try output.changed(event) }
    }

    func save() throws {
        try actions.save(DeviceState(phone: state.phone, lastSequence: lastSequence, registration: registration))
    }
}

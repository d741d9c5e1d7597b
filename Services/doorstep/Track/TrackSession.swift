import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import PhoneRules
import WireCoding

/// One device that follows its cards: applies pushes, the passing of time and the person's keys to a phone.
///
/// It has no loops of its own; `TrackRun` calls it from a feed, a clock and a keyboard. It saves the phone's state after
/// every push, before the next is read.
actor TrackSession {
    /// Wall seconds that the answer to a press is shown.
    static let answerShownSeconds = 8

    struct Actions: Sendable {
        /// Presses a button's link; returns the service's answer as a sentence.
        let press: @Sendable (String) async throws -> String
        /// Reports to the server what happened on this screen.
        let report: @Sendable ([ReportBody]) async -> Void
        /// Registers with the server whether the person allows cards here; false when it has not accepted it.
        let permit: @Sendable (Bool) async -> Bool
        let save: @Sendable (DeviceState) throws -> Void
    }

    private var state: ScreenState
    private var lastSequence: String?
    private var hasShownCard: Bool
    /// Whether the person's last choice is not yet registered with the server.
    private var isPermissionUnsynchronized = false
    private let clock: DomainClock
    private let words: Words
    private let output: any TrackOutput
    private let actions: Actions

    /// - Parameter presentation: the side of the phone that is shown first; keys change it.
    init(
        _ saved: DeviceState, clock: DomainClock, words: Words, presentation: Presentation = .lockScreen,
        output: any TrackOutput, actions: Actions
    ) {
        state = ScreenState(phone: saved.phone, now: clock.now.epochSeconds)
        state.side = presentation == .lockScreen ? .lockScreen : .island
        state.phone.isIslandExpanded = presentation == .expanded
        if presentation == .minimal { state.phone.besideAnotherApp = state.phone.besideAnotherApp ?? .attached }
        state.ownTimeZone = TimeZone.current.identifier
        lastSequence = saved.lastSequence
        hasShownCard = !saved.phone.liveCards.isEmpty
        self.clock = clock
        self.words = words
        self.output = output
        self.actions = actions
    }

    /// Whether there was a card and every one has left the screen.
    var isOver: Bool { hasShownCard && state.phone.liveCards.isEmpty }

    var screen: ScreenState { state }

    // MARK: - Inputs

    /// Shows the cards that are there already, as the last run left them.
    func begin() async throws {
        try await publish(advanceToNow())
        for card in state.phone.liveCards {
            try output.changed(CardEvent(kind: Self.kind(of: card.state), card: card, at: state.now))
        }
        output.show(state)
    }

    func receive(_ event: FeedEvent) async throws {
        switch event {
        case .connected:
            state.connection = .open
            await reportAll()
        case .lost:
            if case .lost = state.connection { break }
            state.connection = .lost(since: clock.now.epochSeconds)
        case .unreadable(let sequence, _):
            lastSequence = sequence
            try save()
        case .push(let push):
            state.now = clock.now.epochSeconds
            let events = state.phone.receive(push.payload, card: push.card, at: state.now)
            lastSequence = push.sequence
            try save()
            try await publish(events)
        }
        output.show(state)
    }

    /// Advances the phone to now.
    func tick() async throws {
        try await publish(advanceToNow())
        // Where the stream is closed, opening it registers the choice.
        if isPermissionUnsynchronized, case .open = state.connection { await synchronizePermission() }
        let wall = Date().epochSeconds
        state.answers = state.answers.filter { $0.value.until > wall }
        output.show(state)
    }

    /// - Returns: false when the person wants to leave.
    /// - Throws: `CommandFailure` of kind interrupted on Ctrl-C.
    func press(_ key: Key) async throws -> Bool {
        switch key {
        case .interrupt: throw CommandFailure(.interrupted, "")
        case .tab: state.selectNext()
        case .other: break
        case .character("q"): return false
        case .character(let character): try await press(character)
        }
        output.show(state)
        return true
    }

    private func press(_ character: Character) async throws {
        switch character {
        case "1"..."9": await pressButton(character.wholeNumberValue ?? 0)
        case "p" where state.phone.hasIsland: state.side = state.side == .island ? .lockScreen : .island
        case "e" where state.phone.hasIsland:
            state.phone.isIslandExpanded = state.side == .island ? !state.phone.isIslandExpanded : true
            state.side = .island
        case "i":
            state.phone.swipeInIsland()
            try save()
        case "d":
            guard state.side == .lockScreen, let card = state.selectedCard else { return }
            try await saveAndPublish(state.phone.swipeOnLockScreen(card: card.id, at: clock.now.epochSeconds))
        case "o":
            let places: [Phone.MinimalPlace?] = [nil, .attached, .detached]
            let index = places.firstIndex(of: state.phone.besideAnotherApp) ?? 0
            state.phone.besideAnotherApp = places[(index + 1) % places.count]
        case "a":
            let all = Appearance.allCases
            state.appearance = all[((all.firstIndex(of: state.appearance) ?? 0) + 1) % all.count]
        case "y" where state.phone.isAskingForPermission, "s" where state.phone.permission == .switchedOff:
            try await allow(true)
        case "n" where state.phone.isAskingForPermission, "s":
            try await allow(false)
        default: break
        }
    }

    /// Answers the question whether cards are allowed, or moves the switch.
    private func allow(_ isOn: Bool) async throws {
        try await saveAndPublish(state.phone.switchLiveActivities(on: isOn, at: clock.now.epochSeconds))
        isPermissionUnsynchronized = true
        await synchronizePermission()
    }

    private func synchronizePermission() async {
        let isOn = state.phone.permission != .switchedOff
        let isRegistered = await actions.permit(isOn)
        // The person may have chosen again meanwhile; that choice is registered by its own call.
        if isRegistered, isOn == (state.phone.permission != .switchedOff) { isPermissionUnsynchronized = false }
    }

    private func pressButton(_ digit: Int) async {
        let phrases = ScreenPhrases(language: words.language)
        guard let card = state.selectedCard else { return }
        if state.side == .island, !state.phone.isIslandExpanded {
            return answer(card.id, phrases.buttonsElsewhere)
        }
        guard card.content.buttons.indices.contains(digit - 1) else { return answer(card.id, phrases.noButton(digit)) }
        answer(card.id, phrases.asking)
        output.show(state)
        do {
            answer(card.id, try await actions.press(card.content.buttons[digit - 1].url))
        } catch let failure as CommandFailure {
            answer(card.id, failure.message)
        } catch {
            answer(card.id, "\(error)".safeOnTerminal)
        }
    }

    private func answer(_ card: String, _ text: String) {
        state.answers[card] = ScreenState.Answer(text: text, until: Date().epochSeconds + Self.answerShownSeconds)
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

    /// What the person did is saved at once.
    private func saveAndPublish(_ events: [CardEvent]) async throws {
        try save()
        try await publish(events)
    }

    private func publish(_ events: [CardEvent]) async throws {
        guard !events.isEmpty else { return }
        hasShownCard = true
        for event in events { try output.changed(event) }
        if state.phone.islandCardShown == nil { state.phone.isIslandExpanded = false }
        await actions.report(events.compactMap { ReportBody($0) })
    }

    /// Reports the state of every card: the server may have missed reports while the stream was down.
    private func reportAll() async {
        await actions.report(state.phone.rememberedCards.compactMap { ReportBody($0, now: state.now) })
    }

    private func save() throws { try actions.save(DeviceState(phone: state.phone, lastSequence: lastSequence)) }
}

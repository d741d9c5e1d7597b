import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

/// The actions of the person's keys, within the rules of ``KeyRules``.
extension TrackSession {
    /// - Returns: false when the person wants to leave.
    /// - Throws: `CommandFailure` of kind interrupted on Ctrl-C.
    func press(_ key: Key) async throws -> Bool {
        isWorkingOnKey = true
        state.hasPressedKey = true
        defer { isWorkingOnKey = false }
        let asked = closeFeedbackQuestion()
        switch key {
        case .interrupt:
            leave()
            throw CommandFailure(.interrupted, "")
        case .character("q"):
            leave()
            return false
        case .tab:
            state.keys.moveFocus()
            state.focusNext()
        case .other, .up, .down, .pageUp, .pageDown, .enter, .escape, .backspace: withdrawQuestion()
        case .character(let character) where state.keys.question != nil && words.isYes(character):
            state.keys.confirm(at: elapsed())
        // Any other key means no, and nothing else.
        case .character where state.keys.question != nil: withdrawQuestion()
        case .character(let character) where asked != nil:
            if let asked { await answerFeedback(character, on: asked) }
        case .character("u"): undo()
        case .character(let character): try await press(character)
        }
        if !Task.isCancelled { show() }
        return true
    }

    private func press(_ character: Character) async throws {
        switch character {
        case "1"..."9": try await pressDigit(character.wholeNumberValue ?? 0)
        case "p" where state.phone.hasIsland || state.side == .island:
            state.keys.moveFocus()
            state.side = state.side == .island ? .lockScreen : .island
        case "e" where state.phone.hasIsland:
            state.keys.moveFocus()
            state.phone.isIslandExpanded = state.side == .island ? !state.phone.isIslandExpanded : true
            state.side = .island
        case "i":
            state.phone.swipeInIsland()
            try save()
        case "d" where state.side == .lockScreen:
            guard let card = state.focusedCard else { return }
            try await press(.dismiss, key: character, on: card)
        case "o":
            let now = state.phone.now
            // Another app's update, then music, which has precedence, then both, which leave no room, then neither.
            let others: [[Phone.OtherApp.Kind]] = [[], [.app], [.music], [.app, .music]]
            let shown = Set(state.phone.otherApps.map(\.kind))
            let index = others.firstIndex { Set($0) == shown } ?? 0
            state.phone.otherApps = others[(index + 1) % others.count].map { Phone.OtherApp($0, updatedAt: now) }
        case "a":
            let all = Appearance.allCases
            state.appearance = all[((all.firstIndex(of: state.appearance) ?? 0) + 1) % all.count]
        case _ where state.phone.isAskingForPermission && words.isYes(character),
            "s" where state.phone.permission == .switchedOff:
            try await allow(true)
        case "n" where state.phone.isAskingForPermission:
            try await allow(false)
        case "s":
            guard let card = state.focusedCard else { return try await allow(false) }
            try await press(.switchOff, key: character, on: card)
        default: break
        }
    }

    private func pressDigit(_ digit: Int) async throws {
        guard let card = state.focusedCard else { return }
        if state.side == .island, !state.phone.isIslandExpanded {
            return answer(card.id, words.texts("screen.buttons_elsewhere"))
        }
        guard let button = ButtonDigits.button(digit, of: card.content.buttons) else {
            return answer(card.id, words.noButton(digit))
        }
        try await press(.press(button), key: Character(String(digit)), digit: digit, on: card)
    }

    private func press(_ action: CardAction, key: Character, digit: Int? = nil, on card: PhoneCard) async throws {
        switch state.keys.press(action, digit: digit, on: card.id, at: elapsed()) {
        case .perform: try await perform(action, on: card.id)
        case .justChanged: answer(card.id, words.justChanged(key))
        // The screen shows the question, or the waiting action and its cancel key.
        case .ask, .waiting: break
        }
    }

    private func withdrawQuestion() {
        guard let question = state.keys.withdraw() else { return }
        answer(question.card, words.notDone(question.action))
    }

    private func undo() {
        guard let waiting = state.keys.undo(preferring: state.focusedCard?.id) else { return }
        answer(waiting.card, words.notDone(waiting.action))
    }

    /// Presses a button's link, and answers in the place of the card's buttons.
    ///
    /// Details are lines below the card for longer, until the button is pressed again.
    func press(_ button: CardButton, on card: PhoneCard) async {
        if button.verb == Verb.details.rawValue, state.answers[card.id]?.lines.isEmpty == false {
            state.answers[card.id] = nil
            return
        }
        answer(card.id, words.texts("screen.asking"))
        output.show(state)
        do {
            let answered = try await actions.press(button.url)
            guard button.verb != Verb.feedback.rawValue else { return askForFeedback(on: card) }
            let lines = words.lines(answered, on: card, now: state.now)
            state.answers[card.id] = ScreenState.Answer(
                text: words.done(button, on: card, answer: answered), lines: lines,
                until: elapsed() + (lines.isEmpty ? Self.answerTime : Self.detailsTime))
        } catch _ where Task.isCancelled {
            // The person has left: that is no answer.
        } catch let failure as CommandFailure {
            answer(card.id, words.refused(button, failure))
        } catch {
            answer(card.id, "\(error)".safeOnTerminal)
        }
    }

    func answer(_ card: String, _ text: String) {
        state.answers[card] = ScreenState.Answer(text: text, until: elapsed() + Self.answerTime)
    }
}

import CommandOutput
import InterfaceTexts
import LiveActivity

/// Texts of actions that need a confirmation, and can be undone.
extension Words {
    func question(_ action: CardAction) -> String {
        let asked =
            switch action {
            case .press(let button) where button.verb != Verb.cancel.rawValue: "\(button.title.safeOnTerminal)?"
            case .press, .dismiss, .switchOff: texts("action.ask.\(Self.code(action))")
            }
        return asked + texts("action.ask.answers")
    }

    func countdown(_ action: CardAction, seconds: Int) -> String {
        var values = ["seconds": String(seconds)]
        if case .press(let button) = action { values["button"] = button.title.safeOnTerminal }
        return texts("action.countdown.\(Self.code(action))", values).safeOnTerminal
    }

    /// The text for an action that was not done: declined, or undone.
    func notDone(_ action: CardAction) -> String { texts("action.not_done.\(Self.code(action))") }

    /// The text on leaving within the ten seconds.
    func notDoneOnLeaving(_ action: CardAction) -> String { notDone(action) + texts("action.left") }

    private static func code(_ action: CardAction) -> String {
        switch action {
        case .press(let button): button.verb == Verb.cancel.rawValue ? "cancel" : "press"
        case .dismiss: "dismiss"
        case .switchOff: "switch_off"
        }
    }
}

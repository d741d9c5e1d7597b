import CommandOutput
import LiveActivity

/// Texts of what is asked about before it is done, and can be taken back.
struct ActionPhrases {
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    func question(_ action: CardAction) -> String {
        let asked =
            switch action {
            case .press(let button) where button.verb == Verb.cancel.rawValue:
                localized(
                    "Cancel this delivery? You have 10 seconds to take it back.",
                    "Annuller leveringen? Du kan fortryde i 10 sekunder.")
            case .press(let button): "\(button.title.safeOnTerminal)?"
            case .dismiss:
                localized(
                    "Take this card off the screen? The order goes on.",
                    "Fjern kortet fra skærmen? Ordren fortsætter.")
            case .switchOff:
                localized(
                    "Switch Live Activities off? Every card leaves the screen.",
                    "Slå liveaktiviteter fra? Alle kort forsvinder.")
            }
        return asked + localized("  [y] yes  [n] no", "  [j] ja  [n] nej")
    }

    func countdown(_ action: CardAction, seconds: Int) -> String {
        switch action {
        case .press(let button) where button.verb == Verb.cancel.rawValue:
            localized(
                "Will be cancelled in \(seconds) s, and cannot be taken back then.  [u] take it back",
                "Annulleres om \(seconds) s og kan så ikke fortrydes.  [u] fortryd")
        case .press(let button):
            localized(
                "\(button.title.safeOnTerminal): sent in \(seconds) s.  [u] take it back",
                "\(button.title.safeOnTerminal): sendes om \(seconds) s.  [u] fortryd")
        case .dismiss:
            localized(
                "Leaves this screen in \(seconds) s.  [u] keep it", "Forsvinder herfra om \(seconds) s.  [u] behold det"
            )
        case .switchOff:
            localized(
                "Every card leaves this screen in \(seconds) s.  [u] keep them",
                "Alle kort forsvinder herfra om \(seconds) s.  [u] behold dem")
        }
    }

    /// Said when it was not done: no to the question, or taken back.
    func notDone(_ action: CardAction) -> String {
        switch action {
        case .press(let button) where button.verb == Verb.cancel.rawValue:
            localized("Nothing was cancelled", "Intet blev annulleret")
        case .press: localized("Nothing was sent", "Intet blev sendt")
        case .dismiss: localized("The card stays", "Kortet bliver")
        case .switchOff: localized("The cards stay", "Kortene bliver")
        }
    }

    /// Said on leaving within the ten seconds.
    func notDoneOnLeaving(_ action: CardAction) -> String {
        notDone(action) + localized(": you left before it was done.", ": du lukkede, før det skete.")
    }

    /// Said on leaving while it was being sent.
    var unknownOutcome: String {
        localized(
            "You left while it was being sent: the next run shows whether it was done.",
            "Du lukkede, mens det blev sendt: næste gang kan du se, om det skete.")
    }
}

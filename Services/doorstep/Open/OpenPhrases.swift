import CommandOutput
import LiveActivity
import PhoneRules
import StackClient

/// The texts of `doorstep open` in a language: the service answers in English, so another is said by the link's verb, with
/// the names on its card.
struct OpenPhrases {
    let words: Words

    private func localized(_ english: String, _ danish: String) -> String { words.language == "da" ? danish : english }

    var confirmation: String { localized("Do it? [y/N] ", "Gør det? [j/N] ") }
    var nothingDone: String { localized("Nothing was done.", "Intet blev gjort.") }
    var notPressable: String { localized("It cannot be pressed now.", "Det kan ikke lade sig gøre nu.") }

    func countdown(seconds: Int64) -> String {
        localized(
            "It is sent in \(seconds) seconds, and cannot be undone then. Ctrl-C takes it back.",
            "Det sendes om \(seconds) sekunder og kan så ikke fortrydes. Ctrl-C fortryder.")
    }

    /// What the link would do.
    func prompt(_ shown: LinkAnswer) -> String {
        guard words.language == "da", let verb = Verb(rawValue: shown.verb) else { return shown.sentence }
        let values = shown.content.headline.values
        let order = shown.attributes.reference.map { "ordre \($0)" } ?? "leveringen"
        let text =
            switch verb {
            case .details, .contactCourier: done(shown, on: shown)
            case .leaveAtDoor: "Bed om, at \(order) bliver stillet ved døren"
            case .approveSubstitution:
                "Tag \(values["substitute"] ?? "det, butikken foreslår,") i stedet for \(values["item"] ?? "varen")"
            case .refuseSubstitution:
                "Sig nej til \(values["substitute"] ?? "det, butikken foreslår,") og få \(values["item"] ?? "varen") refunderet"
            case .cancel: "Annuller leveringen af \(order)"
            }
        return text.safeOnTerminal
    }

    /// What a press has done.
    ///
    /// - Parameter shown: the link before it was pressed, when its card still had the names of what it is about.
    func done(_ answer: LinkAnswer, on shown: LinkAnswer) -> String {
        AnswerPhrases(words: words).done(
            button(of: shown), on: PhoneCard(attributes: shown.attributes, content: shown.content),
            answer: PressAnswer(sentence: answer.sentence, phone: answer.phone))
    }

    /// Why it was not done.
    func refused(_ shown: LinkAnswer, _ failure: CommandFailure) -> CommandFailure {
        CommandFailure(failure.kind, AnswerPhrases(words: words).refused(button(of: shown), failure))
    }

    private func button(of shown: LinkAnswer) -> CardButton { CardButton(verb: shown.verb, title: "", url: "") }
}

import CardPresentation
import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules
import StackClient

/// The texts of `doorstep open` in a language: the service answers in English, so another language uses the link's
/// verb, with the names on its card. Where the card names other goods than the link's, the English sentence is shown.
extension Words {
    func countdown(seconds: Int64) -> String { texts("open.countdown", ["seconds": String(seconds)]) }

    /// The question before a press of the link.
    func prompt(_ shown: LinkAnswer) -> String {
        guard let verb = Verb(rawValue: shown.verb), !texts.isOfServices || verb == .feedback,
            !shown.isOfAnotherQuestion
        else { return shown.sentence }
        switch verb {
        case .details, .contactCourier, .feedback: return done(shown, on: shown).safeOnTerminal
        case .approveSubstitution, .refuseSubstitution:
            // The card of a question that is over may name the goods of the next one.
            let names = shown.isPressable ? card(of: shown).names : [:]
            return texts("page.prompt.\(verb.rawValue)", names).safeOnTerminal
        case .leaveAtDoor, .handToMe, .cancel:
            return texts("answer.prompt.\(verb.rawValue)", card(of: shown).names).safeOnTerminal
        }
    }

    /// The delivery's status and its time, a line each; empty for a link that acts, whose sentence is its outcome.
    ///
    /// - Parameter now: epoch seconds.
    func status(_ shown: LinkAnswer, now: Int) -> [String] {
        guard !shown.isAction else { return [] }
        let face = CardFace(card(of: shown), words: self, now: now, in: .terminal)
        let headline = self.headline(shown.content, shown.attributes, now: now).safeOnTerminal
        let time = face.arrival ?? (shown.content.phase == .ended ? nil : face.promise)
        return [[headline, time].compactMap(\.self).joined(separator: " · "), face.detail].compactMap(\.self)
    }

    /// The outcome of a press.
    ///
    /// - Parameter shown: the link before it was pressed, when its card still had the names.
    func done(_ answer: LinkAnswer, on shown: LinkAnswer) -> String {
        if shown.isOfAnotherQuestion { return answer.sentence }
        return done(
            button(of: shown), on: card(of: shown), answer: PressAnswer(sentence: answer.sentence, phone: answer.phone))
    }

    /// The failure of a press.
    func refused(_ shown: LinkAnswer, _ failure: CommandFailure) -> CommandFailure {
        CommandFailure(failure.kind, refused(button(of: shown), failure))
    }

    private func button(of shown: LinkAnswer) -> CardButton { CardButton(verb: shown.verb, title: "", url: "") }

    private func card(of shown: LinkAnswer) -> PhoneCard {
        PhoneCard(attributes: shown.attributes, content: shown.content)
    }
}

import ArgumentParser
import CardPresentation
import LiveActivity
import PhoneRules

/// A place on a phone where a card is shown.
enum Presentation: String, CaseIterable, Sendable, ExpressibleByArgument {
    case lockScreen = "lock-screen"
    case expanded, compact, minimal

    /// The pictures of a card there, each with what it is called; none where the phone does not show it.
    ///
    /// An ended card is in no island, and minimal exists in two places, beside another app's card only.
    func drawings(
        of card: PhoneCard, on phone: Phone, words: Words, now: Int, appearance: Appearance
    ) -> [(name: String, drawing: Drawing)] {
        let face = CardFace(card, words: words, now: now, isAlwaysOn: appearance == .alwaysOn, in: .terminal)
        if self == .lockScreen {
            guard card.state.isOnLockScreen else { return [] }
            let question = phone.isAskingForPermission ? CardPhrases(language: words.language).question : nil
            return [(rawValue, LockScreenDrawing(face: face, question: question).drawing)]
        }
        guard phone.island != .empty else { return [] }
        let island = IslandDrawing(face: face)
        return switch self {
        case .lockScreen: []
        case .expanded: [(rawValue, island.expanded)]
        case .compact: phone.besideAnotherApp == nil ? [(rawValue, island.compact)] : []
        case .minimal:
            switch phone.besideAnotherApp {
            case nil: []
            case .attached: [("minimal, attached", island.minimalAttached)]
            case .detached: [("minimal, detached", island.minimalDetached)]
            }
        }
    }
}

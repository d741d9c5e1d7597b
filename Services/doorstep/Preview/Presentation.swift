import ArgumentParser
import CardPresentation
import InterfaceTexts
import LiveActivity
import PhoneRules

/// A place on a phone where a card is shown.
enum Presentation: String, CaseIterable, Sendable, ExpressibleByArgument {
    case lockScreen = "lock-screen"
    case expanded, compact, minimal

    /// The pictures of a card in this presentation, each with its name; none where the phone does not show it.
    ///
    /// An ended card is in no island, nor is a card behind two others. Minimal exists in two places, only with another
    /// app's activity.
    func drawings(
        of card: PhoneCard, on phone: Phone, words: Words, now: Int, appearance: Appearance
    ) -> [(name: String, drawing: Drawing)] {
        let face = CardFace(card, words: words, now: now, isAlwaysOn: appearance == .alwaysOn, in: .terminal)
        if self == .lockScreen {
            guard card.state.isOnLockScreen else { return [] }
            let question = phone.isAskingForPermission ? words.texts("card.permission") : nil
            return [(rawValue, LockScreenDrawing(face: face, question: question).drawing)]
        }
        let island = IslandDrawing(
            face: face, other: (phone.otherApps.first?.kind ?? .app).islandText(in: words))
        return switch (self, phone.island) {
        case (.lockScreen, _), (_, .empty): []
        case (.expanded, _): [(rawValue, island.expanded)]
        case (.compact, .compact): [(rawValue, island.compact)]
        case (.minimal, .minimal(_, .attached)): [("minimal, attached", island.minimalAttached)]
        case (.minimal, .minimal(_, .detached)): [("minimal, detached", island.minimalDetached)]
        case (.compact, _), (.minimal, _): []
        }
    }
}

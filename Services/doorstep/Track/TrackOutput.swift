import InterfaceTexts
import LiveActivity
import PhoneRules
import Synchronization

/// The output of a session's changes.
protocol TrackOutput: Sendable {
    /// Called with every change of a card, oldest first.
    func changed(_ event: CardEvent) throws
    /// Called whenever the picture may differ, and every second.
    func show(_ state: ScreenState)
}

/// One JSON object a line.
struct JSONLines: TrackOutput {
    let write: @Sendable (String) -> Void

    func changed(_ event: CardEvent) throws { write(try TrackLine(event).text()) }
    func show(_ state: ScreenState) {}
}

/// One sentence a change, for pipes, narrow terminals and screen readers.
///
/// A push that leaves the sentence as it was, such as one that only moves the progress line, writes nothing.
final class SentenceLines: TrackOutput {
    let words: Words
    let write: @Sendable (String) -> Void
    /// The last sentence of each card.
    private let lastSentences = Mutex<[String: String]>([:])
    /// The last message about the connection; nil while there is one.
    private let lastTrouble = Mutex<ScreenState.Connection?>(nil)

    init(words: Words, write: @escaping @Sendable (String) -> Void) {
        self.words = words
        self.write = write
    }

    func changed(_ event: CardEvent) {
        let sentence = words.sentence(event)
        let isChanged = lastSentences.withLock { $0.updateValue(sentence, forKey: event.card.id) != sentence }
        if isChanged { write(sentence) }
    }

    /// Writes when the connection is lost, and when it is back: silence would mean that nothing is on its way.
    func show(_ state: ScreenState) {
        let sentence: String? = lastTrouble.withLock { last in
            switch state.connection {
            case .connecting: return nil
            case .open:
                defer { last = nil }
                return last == nil ? nil : words.texts("screen.connected")
            case .lost, .full:
                defer { last = state.connection }
                return last == state.connection ? nil : words.trouble(state)
            }
        }
        if let sentence { write(sentence) }
    }
}

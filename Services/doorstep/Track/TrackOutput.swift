import LiveActivity
import PhoneRules
import Synchronization

/// Where a session shows what changes.
protocol TrackOutput: Sendable {
    /// Told of every change of a card, oldest first.
    func changed(_ event: CardEvent) throws
    /// Told whenever the picture may differ, each second included.
    func show(_ state: ScreenState)
}

/// One JSON object a line.
struct JSONLines: TrackOutput {
    let write: @Sendable (String) -> Void

    func changed(_ event: CardEvent) throws { write(try TrackLine(event).text()) }
    func show(_ state: ScreenState) {}
}

/// One sentence a change, for pipes, narrow terminals and whoever prefers words.
///
/// A push that changes no word, such as one that only moves the line on, is not said again.
final class SpokenLines: TrackOutput {
    let words: Words
    let write: @Sendable (String) -> Void
    /// By card, what was said of it last.
    private let said = Mutex<[String: String]>([:])

    init(words: Words, write: @escaping @Sendable (String) -> Void) {
        self.words = words
        self.write = write
    }

    func changed(_ event: CardEvent) {
        let sentence = SpokenCard(words: words).sentence(event)
        let isNews = said.withLock { said in said.updateValue(sentence, forKey: event.card.id) != sentence }
        if isNews { write(sentence) }
    }

    func show(_ state: ScreenState) {}
}

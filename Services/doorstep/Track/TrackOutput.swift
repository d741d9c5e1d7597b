import LiveActivity
import PhoneRules

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
struct SpokenLines: TrackOutput {
    let words: Words
    let write: @Sendable (String) -> Void

    func changed(_ event: CardEvent) { write(SpokenCard(words: words).sentence(event)) }
    func show(_ state: ScreenState) {}
}

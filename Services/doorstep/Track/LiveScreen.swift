import LiveActivity
import PhoneRules

/// The live screen on a real terminal.
final class LiveScreen: TrackOutput {
    private let screen: Screen
    private let terminal: ScreenTerminal

    var keys: AsyncStream<Key> { terminal.keys }

    /// Nil off a terminal.
    init?(words: Words) {
        guard let terminal = ScreenTerminal() else { return nil }
        self.terminal = terminal
        screen = Screen(words: words, hasColors: OutputStyle.ofOutput(isPlain: false).hasColors)
    }

    /// Takes the terminal over for as long as `body` runs, and gives it back as it was.
    func use(_ body: () async throws -> Void) async throws { try await terminal.use(body) }

    func changed(_ event: CardEvent) {}

    func show(_ state: ScreenState) { terminal.draw { screen.rows(state, size: $0) } }
}

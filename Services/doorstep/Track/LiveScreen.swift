import LiveActivity
import PhoneRules
import Synchronization

/// The live screen on a real terminal: this device's cards, an emulated phone's, or both.
final class LiveScreen: TrackOutput, EmulatedPhoneOutput {
    private struct Shown {
        var state: ScreenState?
        var view: EmulatedPhoneView?
    }

    private let screen: PairedScreen
    private let terminal: ScreenTerminal
    private let shown = Mutex(Shown())

    var keys: AsyncStream<Key> { terminal.keys }

    /// Nil off a terminal.
    init?(words: Words) {
        guard let terminal = ScreenTerminal() else { return nil }
        self.terminal = terminal
        screen = PairedScreen(words: words, hasColors: OutputStyle.ofOutput(isPlain: false).hasColors)
    }

    /// Controls the terminal while `body` runs, and restores it afterwards.
    func use(_ body: () async throws -> Void) async throws { try await terminal.use(body) }

    func changed(_ event: CardEvent) {}
    func changed(_ view: EmulatedPhoneView, from former: EmulatedPhoneView) {}

    func show(_ state: ScreenState) { draw { $0.state = state } }
    func show(_ view: EmulatedPhoneView) { draw { $0.view = view } }

    private func draw(_ change: (inout Shown) -> Void) {
        let shown = shown.withLock { shown in
            change(&shown)
            return shown
        }
        terminal.draw { screen.rows(shown.state, shown.view, size: $0) }
    }
}

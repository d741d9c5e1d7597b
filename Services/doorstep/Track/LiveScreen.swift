import Foundation
import LiveActivity
import PhoneRules
import Synchronization

/// The live screen on a real terminal.
final class LiveScreen: TrackOutput {
    private struct Drawn {
        let terminal: Terminal
        var size: TerminalSize?
    }

    private let screen: Screen
    private let drawn: Mutex<Drawn>
    private let keyboard = Keyboard()
    private let interrupts: [Interrupt]

    var keys: AsyncStream<Key> { keyboard.keys }

    /// Nil off a terminal.
    init?(words: Words) {
        guard let terminal = Terminal() else { return nil }
        drawn = Mutex(Drawn(terminal: terminal))
        screen = Screen(words: words, hasColors: OutputStyle.ofOutput(isPlain: false).hasColors)
        let keyboard = keyboard
        interrupts = [SIGINT, SIGTERM, SIGHUP].map { signal in Interrupt(signal) { keyboard.stop() } }
    }

    /// Takes the terminal over for as long as `body` runs, and gives it back as it was.
    func use(_ body: () async throws -> Void) async throws {
        drawn.withLock { $0.terminal.enter() }
        keyboard.start()
        defer {
            keyboard.stop()
            drawn.withLock { $0.terminal.leave() }
            interrupts.forEach { $0.stop() }
        }
        try await body()
    }

    func changed(_ event: CardEvent) {}

    func show(_ state: ScreenState) {
        guard let size = TerminalSize.ofOutput() else { return }
        let rows = screen.rows(state, size: size)
        drawn.withLock { drawn in
            drawn.terminal.draw(rows, isWhole: drawn.size != size)
            drawn.size = size
        }
    }
}

import CommandOutput
import Foundation
import Synchronization

/// The terminal, its keys and its signals, under the control of a live screen.
final class ScreenTerminal: Sendable {
    private struct Drawn {
        let terminal: Terminal
        var size: TerminalSize?
    }

    private let drawn: Mutex<Drawn>
    private let keyboard = Keyboard()
    private let interrupts: [Interrupt]

    /// Ends on a signal that asks the process to end.
    var keys: AsyncStream<Key> { keyboard.keys }

    /// Nil off a terminal.
    init?() {
        guard let terminal = Terminal() else { return nil }
        drawn = Mutex(Drawn(terminal: terminal))
        let keyboard = keyboard
        interrupts = [SIGINT, SIGTERM, SIGHUP].map { signal in Interrupt(signal) { keyboard.stop() } }
    }

    /// Controls the terminal while `body` runs, and restores it afterwards.
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

    /// Shows the rows that fit the terminal as it is now.
    func draw(_ rows: (TerminalSize) -> [String]) {
        guard let size = TerminalSize.ofOutput() else { return }
        let rows = rows(size)
        drawn.withLock { drawn in
            drawn.terminal.draw(rows, isWhole: drawn.size != size)
            drawn.size = size
        }
    }
}

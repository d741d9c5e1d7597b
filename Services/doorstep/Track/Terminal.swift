import CommandOutput
import Foundation

/// A terminal under the control of a live screen, restored afterwards.
///
/// It draws on the alternate screen, so the shell's lines are untouched, and reads single keys; Ctrl-C comes as a key.
final class Terminal {
    private var saved = termios()
    private var lastRows: [String] = []

    /// Nil where input or output is not a terminal.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &saved) == 0 else {
            return nil
        }
    }

    /// Saves the terminal's state and enters the alternate screen; `leave()` must follow.
    func enter() {
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        writeOutput("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    }

    /// Shows the cursor and the shell's screen again.
    func leave() {
        writeOutput("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    }

    /// Shows these rows; only those that changed are written, in one piece, so that nothing flickers.
    func draw(_ rows: [String], isWhole: Bool = false) {
        let text = Self.changes(from: isWhole ? nil : lastRows, to: rows)
        lastRows = rows
        if !text.isEmpty { writeOutput("\u{1B}[?2026h\(text)\u{1B}[?2026l") }
    }

    /// The escape sequences that replace the former rows by new ones.
    ///
    /// - Parameter former: nil where the former rows are unknown, as after a change of size: a terminal that has become
    ///   lower would draw the rows below its last row onto that row.
    static func changes(from former: [String]?, to rows: [String]) -> String {
        let known = former ?? []
        var text = former == nil ? "\u{1B}[2J" : ""
        for (index, row) in rows.enumerated() where index >= known.count || known[index] != row {
            text += "\u{1B}[\(index + 1);1H\(row)\u{1B}[0m\u{1B}[K"
        }
        if known.count > rows.count { text += "\u{1B}[\(rows.count + 1);1H\u{1B}[J" }
        return text
    }

}

import CommandOutput
import Foundation

/// The style of standard output.
struct OutputStyle: Sendable {
    /// Whether sentences are wanted instead of pictures.
    let isPlain: Bool
    /// Whether the terminal supports colours and the user has not disabled them; no colour carries meaning alone.
    let hasColors: Bool
    /// Whether it is a terminal on which a cursor can be moved.
    let hasScreen: Bool

    /// Colours on a terminal only, and not where `NO_COLOR` is set (no-color.org) or the terminal is dumb.
    static func ofOutput(isPlain: Bool) -> OutputStyle {
        let environment = ProcessInfo.processInfo.environment
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let isDumb = environment["TERM"] == "dumb"
        let hasScreen = isatty(STDOUT_FILENO) == 1 && !isDumb
        return OutputStyle(isPlain: isPlain, hasColors: hasScreen && !isUnwanted, hasScreen: hasScreen)
    }

    /// Writes a sentence to standard output as it can show it, on a terminal in lines that break between words.
    @Sendable static func writeSentence(_ sentence: String) {
        writeLine(TerminalAbilities().text(sentence).wrappedBetweenWords(to: TerminalSize.ofOutput()?.columns))
    }

    /// Dimmed text of low importance.
    func quiet(_ text: String) -> String { hasColors ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// A terminal's size in columns and rows.
struct TerminalSize: Hashable, Sendable {
    let columns: Int
    let rows: Int

    /// The size of standard output's terminal; nil where the output goes elsewhere.
    static func ofOutput() -> TerminalSize? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

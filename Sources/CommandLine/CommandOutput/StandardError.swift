internal import Foundation

/// Writes a line on standard error, in ASCII where the terminal shows no more.
///
/// A failed write is ignored: no other place is left to report it.
package func writeError(_ line: String) {
    // A process without standard error has no other place for the line.
    try? FileHandle.standardError.write(contentsOf: Data((TerminalAbilities().text(line) + "\n").utf8))
}

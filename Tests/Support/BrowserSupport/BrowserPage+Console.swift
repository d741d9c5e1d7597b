import NIOHTTP1

/// A line of the page's console: from its scripts, or the browser's complaint.
package struct ConsoleEntry: Decodable, Sendable, CustomStringConvertible {
    package enum Severity: String, Decodable, Sendable {
        case debug = "DEBUG"
        case info = "INFO"
        case warning = "WARNING"
        case severe = "SEVERE"
    }

    package let severity: Severity
    /// Begins with where it comes from.
    package let text: String

    private enum CodingKeys: String, CodingKey {
        case severity = "level"
        case text = "message"
    }

    package var description: String { "\(severity.rawValue) \(text)" }
}

extension BrowserPage {
    private struct LogRequest: Encodable {
        let type = "browser"
    }

    /// The lines of the console since it was last read, oldest first.
    package func readConsole() async throws -> [ConsoleEntry] { try await send(.POST, "/se/log", LogRequest()) }
}

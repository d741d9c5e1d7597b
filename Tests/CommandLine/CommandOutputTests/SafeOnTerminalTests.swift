import Foundation
import Testing

@testable import CommandOutput

@Suite("Text of others on a terminal")
struct SafeOnTerminalTests {
    private static let unsafe = [
        "\u{1B}[31m", "\u{9B}31m", "\u{7F}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{2028}", "\u{2029}",
        "\u{202A}", "\u{0}", "\r", "\n", "\u{61C}", "\u{200E}", "\u{200F}",
    ]

    private static func isSafe(_ text: String) -> Bool {
        !text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
                || "\u{61C}\u{200E}\u{200F}".unicodeScalars.contains(scalar)
        }
    }

    @Test("As a line it steers no terminal", arguments: unsafe)
    func line(text: String) {
        #expect(Self.isSafe("a\(text)b".safeOnTerminal))
    }

    @Test(
        "Isolates and marks of direction are left out of a line",
        arguments: ["\u{2068}", "\u{61C}", "\u{200E}", "\u{200F}"])
    func marks(text: String) {
        #expect("a\(text)b".safeOnTerminal == "ab")
    }

    @Test("As JSON it steers no terminal, and is the same to whoever reads it", arguments: unsafe)
    func json(text: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let value = ["a\(text)b Smørrebrød 🚲": ["c\(text)", "\\\""]]
        let written = String(decoding: try encoder.encode(value), as: UTF8.self)
        let safe = written.jsonSafeOnTerminal
        #expect(Self.isSafe(safe))
        #expect(try JSONDecoder().decode([String: [String]].self, from: Data(safe.utf8)) == value)
    }

    @Test("JSON without such characters stays as it is, byte for byte")
    func same() {
        let text = #"{"a":"Smørrebrød 🚲","b":[1,"\u001b"]}"#
        #expect(text.jsonSafeOnTerminal == text)
    }
}

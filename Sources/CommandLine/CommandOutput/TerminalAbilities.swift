internal import Foundation

/// The abilities of the command's terminal, from the environment.
package struct TerminalAbilities: Hashable, Sendable {
    /// Whether the terminal understands the escape sequences for cursor movement and the alternate screen.
    package let hasScreen: Bool
    /// Whether it shows more than ASCII.
    package let hasUnicode: Bool

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        hasScreen = environment["TERM"] != "dumb"
        hasUnicode = hasScreen && Self.isUTF8(environment)
    }

    /// Whether the terminal can show a picture of a card: frames, and a screen that is redrawn.
    package var hasPictures: Bool { hasScreen && hasUnicode }

    /// The text as it can be shown: as it is, or in ASCII.
    package func text(_ text: String) -> String { hasUnicode ? text : text.inASCII }

    /// Whether the first set variable of `LC_ALL`, `LC_CTYPE` and `LANG` selects UTF-8, as in POSIX; true where none is
    /// set, since small images set none and terminals are UTF-8.
    private static func isUTF8(_ environment: [String: String]) -> Bool {
        let locales = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]].compactMap(\.self)
        guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased() else { return true }
        return locale.contains("utf-8") || locale.contains("utf8")
    }
}

extension String {
    /// The text in ASCII: letters without their accents, signs by their substitutes, `?` for every other character.
    package var inASCII: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return map { character -> String in
            if character.isASCII { return String(character) }
            if let known = asciiOf[character] { return known }
            let base = String(character).decomposedStringWithCanonicalMapping.unicodeScalars.filter(\.isASCII)
            return base.isEmpty ? "?" : String(String.UnicodeScalarView(base))
        }.joined()
    }
}

private let asciiOf: [Character: String] = [
    "æ": "ae", "ø": "oe", "å": "aa", "Æ": "Ae", "Ø": "Oe", "Å": "Aa", "ß": "ss", "·": "-", "–": "-", "—": "-",
    "…": "...", "→": "->", "←": "<-", "×": "x", "’": "'", "‘": "'", "“": "\"", "”": "\"", "✓": "+", "✗": "x",
    "°": "deg",
    "\u{A0}": " ", "\u{202F}": " ", "\u{2009}": " ",
]

internal import Foundation

/// What the terminal that a command writes to can show, as its environment says.
package struct TerminalAbilities: Hashable, Sendable {
    /// Whether it understands the escape sequences that move a cursor and take a screen over.
    package let hasScreen: Bool
    /// Whether it shows more than ASCII.
    package let hasUnicode: Bool

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        hasScreen = environment["TERM"] != "dumb"
        hasUnicode = hasScreen && Self.isUTF8(environment)
    }

    /// Whether it can show a picture of a card: frames, and a screen that is drawn anew.
    package var hasPictures: Bool { hasScreen && hasUnicode }

    /// The text as it can be shown: as it is, or in ASCII.
    package func text(_ text: String) -> String { hasUnicode ? text : text.inASCII }

    /// By the first that is set of `LC_ALL`, `LC_CTYPE` and `LANG`, as POSIX has it; true where none is, since small
    /// images set none and terminals are UTF-8.
    private static func isUTF8(_ environment: [String: String]) -> Bool {
        let locales = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]].compactMap(\.self)
        guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased() else { return true }
        return locale.contains("utf-8") || locale.contains("utf8")
    }
}

extension String {
    /// The text in ASCII: letters without their accents, signs by what stands for them, `?` for everything else.
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

/// A link that calls a number (RFC 3966), from a number as people write it (ITU-T E.123).
struct PhoneLink: Hashable, Sendable {
    let url: String

    /// Digits that a number has at least where something else follows it: an extension, or another number.
    private static let wholeDigitsMin = 7
    /// Digits of the longest extension that is read as one, as of RFC 3966's examples; E.164 bounds none.
    private static let extensionDigitsMax = 11
    /// Words before an extension, in the languages of shops.
    private static let extensionWords: Set<String> = [
        "ext", "extn", "extension", "x", "xtn", "lok", "lokal", "lokalnummer", "poste", "durchwahl", "dw", "int",
        "anexo",
    ]
    /// Country codes whose numbers keep a leading 0 in calls from abroad.
    private static let codesBeforeZero: Set<String> = ["39", "378", "379", "225", "229", "241", "242"]

    /// - Parameter number: as people write it, in the digits of any script.
    /// - Returns: nil where there is no digit.
    init?(_ number: String) {
        var reader = Reader()
        for scalar in number.unicodeScalars { reader.read(scalar) }
        guard let text = reader.text else { return nil }
        url = "tel:\(text)"
    }

    /// Parses a number from its beginning to the first foreign character.
    private struct Reader {
        private var isGlobal = false
        /// Digits, and in a service code `*` and `#`.
        private var digits = ""
        private var extensionDigits = ""
        private var isCode = false
        private var isInExtension = false
        /// Whether the last sign was a pause, which digits follow at once.
        private var isAfterPause = false
        private var isOver = false
        /// The letters since the last digit.
        private var word = ""
        /// The digits before an opening parenthesis; nil outside of one and behind its first digit.
        private var codeBeforeParenthesis: String?
        private var hadParenthesis = false

        var text: String? {
            guard digits.contains(where: \.isNumber) else { return nil }
            let hasExtension = (1...PhoneLink.extensionDigitsMax).contains(extensionDigits.count)
            return (isGlobal ? "+" : "") + digits.replacing("#", with: "%23")
                + (hasExtension ? ";ext=\(extensionDigits)" : "")
        }

        private var isWhole: Bool { digits.count >= PhoneLink.wholeDigitsMin }

        mutating func read(_ scalar: Unicode.Scalar) {
            guard !isOver else { return }
            if let value = scalar.digitValue {
                readDigit(String(value))
            } else {
                readSign(scalar)
            }
        }

        private mutating func readDigit(_ digit: String) {
            if !word.isEmpty, !digits.isEmpty, !isInExtension {
                guard PhoneLink.extensionWords.contains(word.lowercased()) else { return isOver = true }
                isInExtension = true
            }
            word = ""
            isAfterPause = false
            if isInExtension {
                extensionDigits += digit
                return
            }
            defer { codeBeforeParenthesis = nil }
            // The 0 of calls within the country, in parentheses: "+44 (0)20" and "+44 (020)".
            if digit == "0", let code = codeBeforeParenthesis, isGlobal || code.hasPrefix("00"),
                !PhoneLink.codesBeforeZero.contains(isGlobal ? code : String(code.dropFirst(2)))
            {
                return
            }
            digits += digit
        }

        private mutating func readSign(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "+", "\u{FF0B}":
                if digits.isEmpty { isGlobal = true } else { isOver = true }
            case "*", "\u{FF0A}", "#", "\u{FF03}":
                let isHash = scalar == "#" || scalar == "\u{FF03}"
                if isCode || digits.isEmpty {
                    isCode = true
                    digits += isHash ? "#" : "*"
                } else if isHash, isWhole {
                    isInExtension = true
                }
            case "(", "\u{FF08}", "[":
                guard !digits.isEmpty else { break }
                if !hadParenthesis { codeBeforeParenthesis = digits }
                hadParenthesis = true
            case ",", ";":
                guard isWhole else { break }
                isInExtension = true
                isAfterPause = true
            case "/", "\n":
                if isWhole { isOver = true }
            default:
                if scalar.properties.isAlphabetic { word.unicodeScalars.append(scalar) }
                // A comma and a space after the number begin a different text.
                if isAfterPause && scalar.properties.isWhitespace || !extensionDigits.isEmpty && !word.isEmpty {
                    isOver = true
                }
            }
        }
    }
}

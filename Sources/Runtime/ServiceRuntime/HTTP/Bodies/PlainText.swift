extension String {
    /// Whether the text can be stored, sent and shown: 1 to `charactersMax` characters without control characters.
    ///
    /// - Parameter charactersMax: code points, as `maxLength` of JSON Schema counts them; one emoji may have seven.
    package func isPlainText(charactersMax: Int) -> Bool {
        (1...charactersMax).contains(unicodeScalars.count)
            && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// - Throws: a 400 that names the place.
    package func checkPlainText(_ path: String, charactersMax: Int) throws {
        guard isPlainText(charactersMax: charactersMax) else {
            throw Problem.malformed(path, plainTextMessage(charactersMax: charactersMax))
        }
    }

    /// The text without the white space around it.
    var trimmed: String { String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }
}

func plainTextMessage(charactersMax: Int) -> String { "must be 1 to \(charactersMax) characters, none a control one" }

/// The most characters of a reason for a change by an operator, a store or a courier.
package let reasonCharactersMax = 200

extension String {
    /// The reason for a change without the white space around it: plain text of 1 to ``reasonCharactersMax`` characters.
    ///
    /// - Throws: a 400 that names the place.
    package func reason(at path: String = "reason") throws -> String {
        let text = trimmed
        try text.checkPlainText(path, charactersMax: reasonCharactersMax)
        return text
    }
}

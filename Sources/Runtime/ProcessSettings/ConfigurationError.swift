/// An invalid setting, in one line: the key, the fault of its value, and the fix.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The key in code and the JSON file, such as `http.port`.
    package let key: String
    /// The fault, without the value where the value may be a secret.
    package let problem: String
    /// The remedy.
    package let fix: String

    package init(key: String, problem: String, fix: String) {
        self.key = key
        self.problem = problem
        self.fix = fix
    }

    package var description: String {
        "\(key) \(problem); \(fix)"
            .split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// The three places a key can be set, for the end of an error's line.
package func waysToSet(_ key: String) -> String {
    var words: [String] = []
    for part in key.split(separator: ".") {
        var word = ""
        for character in part {
            if character.isUppercase, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        words.append(word)
    }
    let flag = "--" + words.map { $0.lowercased() }.joined(separator: "-")
    let variable = words.map { $0.uppercased() }.joined(separator: "_")
    return "\(flag), \(variable), or \"\(key)\" in the configuration file"
}

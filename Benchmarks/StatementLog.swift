/// The server's statement log, parsed into transactions.
struct StatementLog {
    /// What the server must be set to before; the first word of a line then is unlike any continuation.
    static let linePrefix = "@%p %v %u "

    struct Statement {
        let text: String
        /// Nil is NULL.
        var parameters: [String?] = []
    }

    struct Transaction {
        /// The role, which is named as its schema is.
        let role: String
        var statements: [Statement]

        var isReadOnly: Bool {
            statements.allSatisfy { $0.text.hasPrefix("SELECT") && !$0.text.contains("FOR UPDATE") }
        }
    }

    /// In the order in which they began.
    private(set) var transactions: [Transaction] = []

    init(_ log: String) {
        var places: [String: Int] = [:]
        var open: (key: String, role: String, text: String)?
        func close(_ parameters: [String?]) {
            guard let entry = open else { return }
            open = nil
            let place = places[entry.key] ?? transactions.count
            if place == transactions.count { transactions.append(Transaction(role: entry.role, statements: [])) }
            places[entry.key] = place
            transactions[place].statements.append(Statement(text: entry.text, parameters: parameters))
        }
        for line in Self.entries(log) {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count == 4 else { continue }
            let message = words[3].drop { $0 == " " }
            if message.hasPrefix("LOG:  execute "), let colon = message.dropFirst(6).firstRange(of: ": ") {
                close([])
                open = (
                    key: "\(words[0]) \(words[1])", role: String(words[2]), text: String(message[colon.upperBound...])
                )
            } else if message.hasPrefix("DETAIL:  parameters: ") {
                close(Self.parameters(message.dropFirst("DETAIL:  parameters: ".count)))
            } else {
                close([])
            }
        }
        close([])
    }

    /// Lines with their continuations, which begin with a tab.
    private static func entries(_ log: String) -> [String] {
        var entries: [String] = []
        for line in log.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("@") {
                entries.append(String(line))
            } else if !entries.isEmpty, line.hasPrefix("\t") {
                entries[entries.count - 1] += "\n" + line.dropFirst()
            }
        }
        return entries
    }

    /// Reads `$1 = 'it''s', $2 = NULL`.
    private static func parameters(_ text: Substring) -> [String?] {
        var parameters: [String?] = []
        var rest = text
        while let equals = rest.firstRange(of: " = ") {
            rest = rest[equals.upperBound...]
            guard rest.first == "'" else {
                parameters.append(nil)
                continue
            }
            rest = rest.dropFirst()
            var value = ""
            while let quote = rest.firstIndex(of: "'") {
                value += rest[..<quote]
                rest = rest[rest.index(after: quote)...]
                guard rest.first == "'" else { break }
                value += "'"
                rest = rest.dropFirst()
            }
            parameters.append(value)
        }
        return parameters
    }
}

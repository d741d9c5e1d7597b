/// Reads a message from left to right.
struct MessageParser {
    private let source: [Character]
    private var position = 0
    /// Branches around the position.
    private var depth = 0
    private static let depthMax = 16
    /// The argument of the plural around the position, whose number `#` stands for.
    private var counted: String?

    init(_ source: String) { self.source = Array(source) }

    mutating func message() throws(MessageFault) -> [Message.Part] {
        let parts = try parts()
        if position < source.count { throw fault(.unexpected(source[position])) }
        return parts
    }

    private mutating func parts() throws(MessageFault) -> [Message.Part] {
        var parts: [Message.Part] = []
        var literal = ""
        func flushed(_ literal: inout String, _ parts: inout [Message.Part]) {
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
        }
        while position < source.count, source[position] != "}" {
            switch source[position] {
            case "{":
                flushed(&literal, &parts)
                parts.append(try argument())
            case "#":
                position += 1
                guard let counted else {
                    literal.append("#")
                    continue
                }
                flushed(&literal, &parts)
                parts.append(.number(counted))
            case "'": literal += try quoted()
            case let character:
                literal.append(character)
                position += 1
            }
        }
        flushed(&literal, &parts)
        return parts
    }

    /// The text after an apostrophe: the apostrophe itself, or a quotation in which braces are literal.
    private mutating func quoted() throws(MessageFault) -> String {
        position += 1
        guard position < source.count else { return "'" }
        if source[position] == "'" {
            position += 1
            return "'"
        }
        guard "{}#".contains(source[position]) else { return "'" }
        guard let end = source[position...].firstIndex(of: "'") else { throw fault(.unclosed) }
        defer { position = end + 1 }
        return String(source[position..<end])
    }

    private mutating func argument() throws(MessageFault) -> Message.Part {
        position += 1
        let name = try word()
        if try isClosed() { return .value(name) }
        let kind = try word()
        if kind == "plural" || kind == "select" { return try branches(of: name, isPlural: kind == "plural") }
        let style = try isClosed() ? "" : word()
        if !style.isEmpty, try !isClosed() { throw fault(.unexpected(",")) }
        switch (kind, style) {
        case ("time", ""): return .time(name, isInSentence: false)
        case ("time", "long"): return .time(name, isInSentence: true)
        case ("date", ""): return .date(name)
        case ("duration", ""): return .duration(name)
        case ("number", "currency"): return .amount(name)
        default: throw fault(.unknownKind(style.isEmpty ? kind : "\(kind), \(style)"))
        }
    }

    private mutating func branches(of name: String, isPlural: Bool) throws(MessageFault) -> Message.Part {
        guard try !isClosed() else { throw fault(.noBranchOther) }
        let outer = counted
        if isPlural { counted = name }
        defer { counted = outer }
        var branches: [String: [Message.Part]] = [:]
        while true {
            skipSpaces()
            guard position < source.count else { throw fault(.unclosed) }
            if source[position] == "}" { break }
            let key = try word()
            skipSpaces()
            guard position < source.count, source[position] == "{" else { throw fault(.unclosed) }
            position += 1
            guard depth < Self.depthMax else { throw fault(.tooDeep) }
            depth += 1
            branches[key] = try parts()
            depth -= 1
            guard position < source.count else { throw fault(.unclosed) }
            position += 1
        }
        position += 1
        guard branches["other"] != nil else { throw fault(.noBranchOther) }
        return isPlural ? .plural(name, branches) : .select(name, branches)
    }

    private mutating func word() throws(MessageFault) -> String {
        skipSpaces()
        let start = position
        while position < source.count, Self.isOfWord(source[position]) { position += 1 }
        guard position < source.count else { throw fault(.unclosed) }
        guard position > start else { throw fault(.unexpected(source[position])) }
        return String(source[start..<position])
    }

    /// Whether the argument ends here; if not, what follows the comma is next.
    private mutating func isClosed() throws(MessageFault) -> Bool {
        skipSpaces()
        guard position < source.count else { throw fault(.unclosed) }
        guard source[position] == "}" || source[position] == "," else { throw fault(.unexpected(source[position])) }
        position += 1
        return source[position - 1] == "}"
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "="
    }

    private mutating func skipSpaces() {
        while position < source.count, source[position].isWhitespace { position += 1 }
    }

    private func fault(_ reason: MessageFault.Reason) -> MessageFault { MessageFault(reason: reason, offset: position) }
}

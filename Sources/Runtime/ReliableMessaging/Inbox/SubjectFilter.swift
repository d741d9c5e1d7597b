/// A consumer's subject filter, with the wildcards of NATS: `*` is one token, `>` every further one.
struct SubjectFilter: Hashable, Sendable {
    private let tokens: [Substring]

    init(_ filter: String) { tokens = Self.tokens(of: filter) }

    func matches(_ subject: String) -> Bool {
        let subject = Self.tokens(of: subject)
        for (index, token) in tokens.enumerated() {
            guard index < subject.count else { return false }
            if token == ">" { return true }
            guard token == "*" || token == subject[index] else { return false }
        }
        return subject.count == tokens.count
    }

    private static func tokens(of subject: String) -> [Substring] {
        subject.split(separator: ".", omittingEmptySubsequences: false)
    }
}

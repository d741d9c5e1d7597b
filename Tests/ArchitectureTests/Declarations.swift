import Foundation
import Synchronization

/// What a source file declares by name.
struct Declaration: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case `struct`, `enum`, `class`, actor, `protocol`, `typealias`, `func`, `var`, `let`, `case`
    }

    let kind: Kind
    let name: String
    let file: String
    let line: Int
    /// The words that a camel-case name is made of, in lower case.
    let words: [String]

    /// - Parameter pattern: of a word; made once for many names.
    init(kind: Kind, name: String, file: String, line: Int, wordsBy pattern: Regex<Substring> = Self.word) {
        self.kind = kind
        self.name = name
        self.file = file
        self.line = line
        words = name.matches(of: pattern).map { $0.output.lowercased() }
    }

    static var word: Regex<Substring> { /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/.overCode }

    var isType: Bool {
        switch kind {
        case .struct, .enum, .class, .actor, .protocol, .typealias: true
        case .func, .var, .let, .case: false
        }
    }
}

extension SourceFile {
    /// What the file declares, on whatever level; several cases on one line each count.
    var declarations: [Declaration] {
        if let known = Self.known.withLock({ $0[path] }) { return known }
        let declaring = /\b(struct|enum|class|actor|protocol|typealias|func|var|let|case) +`?([A-Za-z_][A-Za-z0-9_]*)`?/
            .overCode
        let word = Declaration.word
        let declared = code.flatMap { number, text in
            text.matches(of: declaring).compactMap { match -> Declaration? in
                guard let kind = Declaration.Kind(rawValue: String(match.1)) else { return nil }
                return Declaration(kind: kind, name: String(match.2), file: path, line: number, wordsBy: word)
            }
        }
        Self.known.withLock { $0[path] = declared }
        return declared
    }

    /// Declarations by path: several tests read those of every file, and files stand while tests run.
    private static let known = Mutex<[String: [Declaration]]>([:])
}

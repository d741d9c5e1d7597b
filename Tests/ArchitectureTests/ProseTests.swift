import Foundation
import Testing

@Suite("Prose")
struct ProseTests {
    /// Words that hide the actor or the noun, each with the words to write in its place.
    static let vague: [String: String] = {
        var words = [
            "ours": "the project's name or the owner", "anew": "again", "look": "read, poll or inspect",
            "looks": "reads, polls or inspects", "looked": "read, polled or inspected",
            "looking": "reading, polling or inspecting", "thing": "the noun", "things": "the noun",
            "takes": "accepts, receives, leases or a time-out", "taken": "accepted, received or leased",
            "took": "accepted, received or lasted", "taking": "accepting, receiving or leasing",
        ]
        for word in ["say", "says", "said", "saying", "tell", "tells", "told", "telling", "hear", "hears", "heard"] {
            words[word] = "report, publish, return, document or detect"
        }
        for word in ["nobody", "whoever", "somebody", "everybody", "anybody"] { words[word] = "the actor's name" }
        return words
    }()

    static let vaguePhrases = [
        "good for": "valid for", "is good": "is valid", "are good": "are valid", "good no more": "revoked or expired",
        "is no more": "is deleted", "goes by": "uses", "go by": "use", "what is there": "the present state",
        "came of": "the result", "comes of": "the result", "become of": "the result", "becomes of": "the result",
        "became of": "the result",
    ]

    /// First words of a comment that stand for its subject.
    static let vagueBeginnings: Set<String> = ["has", "have", "what", "those", "who", "whose", "whom"]

    @Test("A comment begins with its subject and uses words that an engineer knows")
    func comments() throws {
        var count = 0
        for file in try Project.files(in: Project.own + ["Benchmarks", "Tests/Support"]) {
            for line in file.documentation {
                count += 1
                let prose = Prose(line.text)
                let faults = prose.faults + (line.isFirst ? prose.faultsOfBeginning : [])
                #expect(faults.isEmpty, "\(file):\(line.number): \(faults.joined(separator: "; "))")
            }
        }
        #expect(count > 10_000)
    }

    @Test("A log message and a help text name who does what to what")
    func messages() throws {
        var count = 0
        for file in try Project.files(in: Project.own + ["Benchmarks", "Tests/Support"]) {
            for line in file.messages {
                count += 1
                let faults = Prose(line.text).faults
                #expect(faults.isEmpty, "\(file):\(line.number): \(faults.joined(separator: "; "))")
            }
        }
        #expect(count > 300)
    }

    @Test("An exported function that throws documents what and when")
    func throwing() throws {
        var count = 0
        for file in try Project.files(in: Project.own) {
            for function in file.exportedThrowingFunctions {
                count += 1
                #expect(function.isDocumented, "\(file):\(function.number): no line - Throws: \(function.text)")
            }
        }
        #expect(count > 130)
    }

    @Test("Vague words, phrases and beginnings are found, and code in a sentence is none")
    func words() {
        #expect(Prose("Sends what a phone takes.").faults.count == 1)
        #expect(Prose("The token is good for a minute.").faults.count == 2)
        #expect(Prose("What a provider reports.").faultsOfBeginning.count == 1)
        #expect(Prose("Nobody's row.").faults.count == 1)
        #expect(Prose("A push in state `taken`, after a look-up of \"told\".").faults.isEmpty)
    }

    @Test("A function's comment and signature are read over several lines")
    func signatures() {
        let text = """
            /// Reads.
            /// - Throws: an error.
            @discardableResult
            public func documented() throws -> Int { 1 }

            /// Reads.
            package func undocumented(
                _ body: () throws -> Int
            ) async throws {}

            public func rethrowing(_ body: () throws -> Int) {}
            public init(from decoder: any Decoder) throws {}
            """
        let file = SourceFile(path: "", text: text)
        #expect(file.exportedThrowingFunctions.map { $0.isDocumented } == [true, false])
    }
}

/// One sentence of a comment, a log message or a help text.
struct Prose {
    /// The sentence in lower case, with a word in place of code and of quoted text.
    private let text: String

    init(_ text: String) {
        self.text = text.replacingQuoted(by: "`", with: "code").replacingQuoted(by: "\"", with: "quote").lowercased()
    }

    private var words: [String] {
        text.split { !($0.isLetter || $0 == "-" || $0 == "'") }.map { String($0).replacing("'s", with: "") }
    }

    var faults: [String] {
        let words = self.words
        let spelt = " " + words.joined(separator: " ") + " "
        let ofWords = words.compactMap { word in ProseTests.vague[word].map { "\(word): write \($0)" } }
        let ofPhrases = ProseTests.vaguePhrases.filter { spelt.contains(" \($0.key) ") }
            .map { "\($0.key): write \($0.value)" }
        return ofWords + ofPhrases.sorted()
    }

    var faultsOfBeginning: [String] {
        guard let first = words.first, ProseTests.vagueBeginnings.contains(first) else { return [] }
        return ["begins with \(first): begin with the noun or the verb"]
    }
}

extension String {
    /// The text with a word in place of each part between two marks.
    fileprivate func replacingQuoted(by mark: Character, with word: String) -> String {
        let parts = split(separator: mark, omittingEmptySubsequences: false)
        return parts.indices.map { index in
            // The last part has no mark after it.
            if index == parts.count - 1 { return index % 2 == 0 ? String(parts[index]) : "\(mark)\(parts[index])" }
            return index % 2 == 0 ? String(parts[index]) : word
        }.joined()
    }
}

extension SourceFile {
    /// The lines of documentation comments, without the names of parameters.
    fileprivate var documentation: [(number: Int, text: String, isFirst: Bool)] {
        let trimmed = lines.map(\.unindented)
        let parameter = /^ *- (Parameter )?\w+:/.overCode
        return trimmed.indices.compactMap { index -> (number: Int, text: String, isFirst: Bool)? in
            guard trimmed[index].hasPrefix("///") else { return nil }
            let isFirst = index == 0 || !trimmed[index - 1].hasPrefix("///")
            let text = String(trimmed[index].dropFirst(3))
            return (index + 1, text.replacing(parameter, with: ""), isFirst)
        }
    }

    /// Log messages, and help texts of commands and metrics, as far as they are literals.
    fileprivate var messages: [(number: Int, text: String)] {
        let calls = [
            /logger\.(trace|debug|info|notice|warning|error|critical|log)\(/.overCode,
            /\b(help|abstract|discussion):/.overCode,
        ]
        let marks = ["logger.", "help:", "abstract:", "discussion:"]
        let literal = /^[^"{}()]*("""(?<long>[^"]+)"""|"(?<short>[^"]*)")/.overCode
        return code.compactMap { number, text -> (number: Int, text: String)? in
            guard marks.contains(where: { text.contains($0) }),
                let call = calls.lazy.compactMap({ text.firstMatch(of: $0) }).first
            else { return nil }
            let following = lines[number...].prefix(4).joined(separator: "\n")
            let rest = String(text[call.range.upperBound...]) + "\n" + following
            guard let match = rest.firstMatch(of: literal), let message = match.output.long ?? match.output.short
            else { return nil }
            return (number, String(message))
        }
    }

    /// Exported functions and initializers that throw, but for witnesses of `Codable` and of Postgres's decoding, whose
    /// protocols document the errors.
    fileprivate var exportedThrowingFunctions: [(number: Int, text: String, isDocumented: Bool)] {
        let declaration = /^ *(@\w+ )*(public|package) ([a-z]+(\([a-z]+\))? )*(func|init)\b/.overCode
        let throwing = /\bthrows\b/.overCode
        let witness = /init\(from |func encode\(to |static func decode(Array)?\(_ cell/.overCode
        return code.compactMap { number, text -> (number: Int, text: String, isDocumented: Bool)? in
            guard text.contains("public ") || text.contains("package "), text.contains(declaration) else { return nil }
            let following = lines[(number - 1)...].prefix(16)
            let end = following.firstIndex { $0.contains("{") || $0.isEmpty } ?? following.endIndex - 1
            let signature = following[...end].joined(separator: " ")
            guard !signature.contains(witness), Self.outsideParentheses(signature).contains(throwing) else {
                return nil
            }
            let comment = lines[..<(number - 1)].reversed().map { $0.drop { $0 == " " } }
                .drop { $0.hasPrefix("@") }.prefix { $0.hasPrefix("//") }
            return (number, text, comment.contains { $0.contains("- Throws:") })
        }
    }

    /// The declaration up to its body, without parameters, generics and attributes' arguments.
    private static func outsideParentheses(_ declaration: String) -> String {
        var depth = 0
        return String(
            declaration.prefix { $0 != "{" }.filter { character in
                if "([".contains(character) { depth += 1 }
                if ")]".contains(character) { depth -= 1 }
                return depth == 0
            })
    }
}

import Foundation
import Testing

@Suite("Texts")
struct TextsTests {
    private static let folder = "Sources/Presentation/InterfaceTexts"

    @Test("No code asks which language it is: texts are looked up by key")
    func noLanguage() throws {
        let asking = /== "(en|da)"|localized\("/.overCode
        for file in try Project.files(in: Project.own) where !file.path.hasPrefix(Self.folder) {
            for (index, line) in file.lines.enumerated()
            where line.utf8.contains(UInt8(ascii: "\"")) && !line.contains("//") {
                #expect(line.firstMatch(of: asking) == nil, "\(file):\(index + 1): \(line)")
            }
        }
    }

    /// The languages of cards, by their names in code.
    private static let languages = [
        "en": "english", "da": "danish", "de": "german", "fr": "french", "es": "spanish", "it": "italian",
        "nl": "dutch", "pl": "polish", "sv": "swedish", "pt": "portuguese", "tr": "turkish", "ar": "arabic",
    ]

    @Test("What is compiled of a language's cards is its file", arguments: languages.keys.sorted())
    func compiled(language: String) throws {
        let folder = Project.root.appending(path: "Packages/LiveActivity/Sources/LiveActivity/Texts")
        let name = try #require(Self.languages[language])
        let json = try String(contentsOf: folder.appending(path: "Languages/\(language).json"), encoding: .utf8)
        let lines = json.split(separator: "\n").map { "        \($0)\n" }.joined()
        let expected = """
            // Made by `make golden` from Languages/\(language).json.
            extension Language {
                static let \(name) = Language(
                    "\(language)",
                    #\"""
            \(lines)        \"""#)
            }

            """
        let file = folder.appending(path: "Compiled/\(name.capitalized).swift")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" { try Data(expected.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == expected)
    }

    @Test("Every key that code looks up has a text, and every text is looked up")
    func keys() throws {
        let file = Project.root.appending(path: Self.folder + "/Languages/en.json")
        let keys = Set(try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file)).keys)
        #expect(keys.count > 200)
        let rooms = Set(keys.map { $0.prefix { $0 != "." } })
        var used: Set<String> = []
        for file in try Project.files(in: ["Sources", "Services"]) {
            for match in file.lines.joined(separator: "\n").matches(of: /"([a-z]+\.[a-zA-Z_.\-]*)(\\\(|")/.overCode)
            where rooms.contains(match.1.prefix { $0 != "." }) && file.usesTexts {
                let name = String(match.1)
                let found = match.2 == "\"" ? keys.filter { $0 == name } : keys.filter { $0.hasPrefix(name) }
                let titles = keys.filter { $0 == name + ".title" || $0 == name + ".text" }
                #expect(!found.isEmpty || !titles.isEmpty, "\(file): no text has the key \(name)")
                used.formUnion(found.union(titles))
            }
        }
        #expect(keys.subtracting(used).isEmpty, "no code looks up \(keys.subtracting(used).sorted())")
    }
}

extension SourceFile {
    fileprivate var usesTexts: Bool { lines.contains { $0.contains("texts") } }
}

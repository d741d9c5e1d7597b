import Foundation
import Testing

@Suite("Texts")
struct TextsTests {
    private static let folder = "Sources/Presentation/InterfaceTexts"

    @Test("No code asks which language it is: texts are looked up by key")
    func noLanguage() throws {
        for file in try Project.files(in: Project.own) where !file.path.hasPrefix(Self.folder) {
            for (index, line) in file.lines.enumerated() where !line.contains("//") {
                #expect(line.firstMatch(of: /== "(en|da)"|localized\("/) == nil, "\(file):\(index + 1): \(line)")
            }
        }
    }

    @Test("Every key that code looks up has a text, and every text is looked up")
    func keys() throws {
        let english = try Project.files(in: [Self.folder]).filter { $0.path.contains("/English") }.flatMap(\.lines)
        let keys = Set(english.compactMap { $0.firstMatch(of: /^ +"([a-z_.\-A-Z]+)":/).map { String($0.1) } })
        #expect(keys.count > 200)
        let rooms = Set(keys.map { $0.prefix { $0 != "." } })
        var used: Set<String> = []
        for file in try Project.files(in: ["Sources", "Services"]) where !file.isTable {
            for match in file.lines.joined(separator: "\n").matches(of: /"([a-z]+\.[a-zA-Z_.\-]*)(\\\(|")/)
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
    fileprivate var isTable: Bool { path.contains("InterfaceTexts/English") || path.contains("/Danish") }

    fileprivate var usesTexts: Bool { lines.contains { $0.contains("texts") } }
}

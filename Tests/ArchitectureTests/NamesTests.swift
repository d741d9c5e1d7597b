import Foundation
import Testing

@Suite("Names")
struct NamesTests {
    /// Words that the field has terms for: publish, receive, reconcile, poll, probe, scenario, timeline, dead letter.
    static let metaphors: Set<String> = [
        "told", "tell", "tells", "untold", "said", "say", "says", "saying", "heard", "hear", "hears", "unheard",
        "hearing",
        "look", "looks", "looked", "looking", "story", "stories", "bury", "buried", "fate", "stranger", "strangers",
        "town", "seat", "seats",
    ]

    @Test("No type, function or property is named after a metaphor")
    func metaphors() throws {
        var declarations: [Declaration] = []
        for file in try Project.files(in: Project.own + ["Tests", "Benchmarks"])
        where file.path != "Tests/ArchitectureTests/NamesTests.swift" {
            declarations += file.declarations
        }
        #expect(declarations.count > 5_000)
        for one in declarations {
            let found = Self.metaphors.intersection(one.words)
            #expect(found.isEmpty, "\(one.file):\(one.line): \(one.kind) \(one.name)")
        }
    }

    @Test("A name is read as its words")
    func words() {
        func words(_ name: String) -> [String] { Declaration(kind: .var, name: name, file: "", line: 0).words }
        #expect(words("lastSeenAt") == ["last", "seen", "at"])
        #expect(words("HTTPService") == ["http", "service"])
        #expect(words("makeURL2") == ["make", "url", "2"])
        #expect(words("toldMax") == ["told", "max"])
    }

    @Test("A type shadows none of the language's")
    func shadows() throws {
        let taken: Set = ["Actor", "Task", "Clock", "Duration", "Result", "Error", "Identifiable", "Never"]
        for file in try Project.files(in: Project.own) {
            for one in file.declarations where one.isType && file.isTopLevel(one) {
                #expect(!taken.contains(one.name), "\(one.file):\(one.line): \(one.name)")
            }
        }
    }
}

extension SourceFile {
    /// Whether a declaration is not nested: its line is not indented.
    fileprivate func isTopLevel(_ one: Declaration) -> Bool { lines[one.line - 1].first.map { $0 != " " } ?? false }
}

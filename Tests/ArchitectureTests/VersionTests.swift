import Foundation
import Testing

@Suite("Version")
struct VersionTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
    }

    @Test("The version that executables print is the newest of the changelog")
    func newest() throws {
        let code = try text("Sources/Contracts/DoorstepAPI/Version.swift")
        let current = try #require(code.firstMatch(of: #/static let current = "([0-9.]+)"/#)?.output.1)
        let changelog = try text("CHANGELOG.md")
        let headings = changelog.matches(of: #/(?m)^## \[([0-9.]+)\] - \d{4}-\d\d-\d\d$/#).map(\.output.1)
        #expect(headings.first == current)
        let numbers = headings.map { $0.split(separator: ".").compactMap { Int($0) } }
        #expect(numbers == numbers.sorted { $1.lexicographicallyPrecedes($0) }, "newest first")
    }
}

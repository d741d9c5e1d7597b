import Foundation
import PostgresClient
import Testing

@Suite("Migrations")
struct MigrationTests {
    /// One line a migration: the checksum that databases hold, and the file.
    private static let released = "Tests/ArchitectureTests/released-migrations.txt"

    @Test("A migration that was released is never edited, not its comments either, and a new one is listed")
    func checksums() throws {
        let files = try Project.files(in: Project.own, ending: "sql")
        #expect(files.count > 8)
        let lines = try files.map { file in
            let name = try #require(file.path.split(separator: "/").last)
            let migration = try Migration(file: String(name), bytes: Array(file.lines.joined(separator: "\n").utf8))
            return "\(migration.checksum) \(file.path)"
        }
        let text = try String(contentsOf: Project.root.appending(path: Self.released), encoding: .utf8)
        #expect(lines.joined(separator: "\n") + "\n" == text)
    }

    @Test("A service applies each of its migrations")
    func listed() throws {
        let sources = try Project.files(in: ["Services", "Sources"])
        for file in try Project.files(in: ["Services"], ending: "sql") {
            let parts = file.path.split(separator: "/")
            let resource = try #require(parts.last).replacing(".sql", with: "_sql")
            let service = parts.prefix(2).joined(separator: "/") + "/"
            // The compiler's name of a resource whose own begins with a digit.
            let name = "PackageResources._\(resource.dropFirst())"
            #expect(
                sources.contains { file in file.path.hasPrefix(service) && file.lines.contains { $0.contains(name) } },
                "\(file) is in no list of migrations")
        }
    }
}

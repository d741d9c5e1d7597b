import CommandOutput
import Foundation
import Testing

@testable import DoorstepAdmin

@Suite("The list of erasures that is kept")
struct KeptErasuresTests {
    private let path = "\(FileManager.default.temporaryDirectory.path)/erasures-\(UUID().uuidString).json"

    private func erasure(_ person: String, at seconds: Double) -> ListedErasure {
        ListedErasure(person: person, erasedAt: Date(timeIntervalSince1970: 1_795_280_400 + seconds))
    }

    @Test("A database that lacks an erasure deletes none from the file, and the last time of each person stays")
    func union() throws {
        defer { unlink(path) }
        try ListedErasure.keep([erasure("1:mette", at: 10)], in: path)
        #expect(try ListedErasure.list(in: path) == [erasure("1:mette", at: 10)])
        try ListedErasure.keep([erasure("1:jonas", at: 20)], in: path)
        #expect(try ListedErasure.list(in: path) == [erasure("1:mette", at: 10), erasure("1:jonas", at: 20)])
        try ListedErasure.keep([erasure("1:mette", at: 30), erasure("1:jonas", at: 15)], in: path)
        try ListedErasure.keep([], in: path)
        #expect(try ListedErasure.list(in: path) == [erasure("1:jonas", at: 20), erasure("1:mette", at: 30)])
    }

    @Test("A file that has something else is refused, and stays as it is")
    func otherFile() throws {
        defer { unlink(path) }
        try Data("[{".utf8).write(to: URL(filePath: path))
        #expect(throws: CommandFailure.self) { try ListedErasure.keep([erasure("1:mette", at: 10)], in: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "[{")
    }
}

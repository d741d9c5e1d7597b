import CommandOutput
import Foundation
import Testing

@testable import DoorstepAdmin

@Suite("Files of archives")
struct ArchiveOutputTests {
    private let path = "\(FileManager.default.temporaryDirectory.path)/archive-\(UUID().uuidString)"

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("An archive has its name once it is whole, and its owner alone may read it")
    func whole() throws {
        defer { unlink(path) }
        let output = try ArchiveOutput(path, isJSON: true)
        try output.write(Data("{}\n".utf8))
        #expect(!exists(path))
        try output.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n")
        #expect(!exists("\(path).part"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("Nothing is left of an archive that ends early, and the next one can be written")
    func early() throws {
        let output = try ArchiveOutput(path, isJSON: true)
        try output.write(Data("{".utf8))
        output.discard()
        for one in [path, "\(path).part"] { #expect(!exists(one)) }
        try ArchiveOutput(path, isJSON: true).discard()
    }

    @Test("A file that exists is not replaced, also one that is made meanwhile")
    func existing() throws {
        defer { for one in [path, "\(path).part"] { unlink(one) } }
        let output = try ArchiveOutput(path, isJSON: true)
        try Data("mine".utf8).write(to: URL(filePath: path))
        #expect(throws: CommandFailure.self) { try output.finish() }
        #expect(throws: CommandFailure.self) { try ArchiveOutput(path, isJSON: true) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }
}

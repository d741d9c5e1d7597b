import Foundation
import JSONFolder
import Testing

@Suite("JSON files of a folder")
struct JSONFolderTests {
    /// A folder that is removed after the test.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "json-folder-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try body(folder)
    }

    private func write(_ text: String, _ path: String, in folder: URL) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test("The files of the folder and of the folders in its part are read, and no other")
    func plain() throws {
        try withFolder { folder in
            let others = ["README.md", "stores/README.md", "old/da.json", ".x.json"]
            for path in ["da.json", "stores/nordhavn/en.json"] + others {
                try write(path, path, in: folder)
            }
            let files = try JSONFolder.read(folder.path, part: "stores", bytesMax: 100)
            #expect(files.keys.sorted() == ["da.json", "stores/nordhavn/en.json"])
            #expect(files.allSatisfy { $0.key == String(decoding: $0.value, as: UTF8.self) })
        }
    }

    @Test("Links are followed, as those of a mounted ConfigMap, and the folder itself may be one")
    func links() throws {
        try withFolder { folder in
            try write("{}", "..2026_11/da.json", in: folder)
            try write("[]", "..2026_11/stores/nordhavn/da.json", in: folder)
            let manager = FileManager.default
            let links = [("..data", "..2026_11"), ("da.json", "..data/da.json"), ("stores", "..data/stores")]
            for (link, target) in links {
                try manager.createSymbolicLink(
                    atPath: folder.appending(path: link).path, withDestinationPath: target)
            }
            let link = folder.appendingPathExtension("link")
            defer { try? manager.removeItem(at: link) }
            try manager.createSymbolicLink(at: link, withDestinationURL: folder)
            for path in [folder.path, link.path] {
                let files = try JSONFolder.read(path, part: "stores", bytesMax: 100)
                #expect(files.keys.sorted() == ["da.json", "stores/nordhavn/da.json"])
            }
        }
    }

    @Test("What is absent, no file, or too large is refused by name, and nothing of it is read")
    func refused() throws {
        try withFolder { folder in
            try write("12345", "da.json", in: folder)
            let large = #expect(throws: JSONFolder.Unreadable.self) {
                try JSONFolder.read(folder.path, part: "stores", bytesMax: 4)
            }
            #expect(large?.description.hasSuffix("da.json has 5 bytes, 4 at most") == true)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "de.json"), withIntermediateDirectories: true)
            let noFile = #expect(throws: JSONFolder.Unreadable.self) {
                try JSONFolder.read(folder.path, part: "stores", bytesMax: 100)
            }
            #expect(noFile?.description.hasSuffix("de.json is no file") == true)
            #expect(throws: JSONFolder.Unreadable.self) {
                try JSONFolder.read(folder.path + "/none", part: "stores", bytesMax: 100)
            }
        }
    }
}

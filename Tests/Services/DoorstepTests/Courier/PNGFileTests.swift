import ArgumentParser
import CommandOutput
import Foundation
import ScriptedPeers
import TestSupport
import Testing

@testable import Doorstep

@Suite("Files of pictures", .timeLimit(.minutes(5)))
struct PNGFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png").path

    @Test("A picture is written into a new file of its owner's alone")
    func written() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let image = PNGImage(width: 1, height: 1) { _, _ in true }
        let file = try PNGFile(path)
        #expect(file.write(image) == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(image.bytes))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(file.write(image)?.contains(path) == true, "it is another one's by now")
        #expect(file.write(nil)?.contains("too long") == true)
    }

    @Test("A file that is there already is refused, and kept as it is")
    func present() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("kept".utf8).write(to: URL(filePath: path))
        for taken in [path, "\(path)/none.png"] {
            let failure = #expect(throws: CommandFailure.self) { _ = try PNGFile(taken) }
            #expect(failure?.kind == .usage && failure?.message.contains(taken) == true)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("kept".utf8))
    }

    @Test("No phone is enrolled where its picture cannot be written")
    func noPhone() async throws {
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer {
            for file in [token.path, path] { try? FileManager.default.removeItem(atPath: file) }
        }
        for file in [token.path, path] { try Data("token\n".utf8).write(to: URL(filePath: file)) }
        let courierETA = try await ScriptedHTTPServer.start { _ in .answer(500, body: "{}") }
        let (exit, output) = try await ChildProcess.run(
            try Executables.path(of: "doorstep").path,
            ["courier", "enroll", "--courier", "mira", "--app", "owntracks", "--png", path],
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                "DOORSTEP_COURIER_ETA_URL": "http://127.0.0.1:\(courierETA.port)",
                "DOORSTEP_COURIER_TOKEN_FILE": token.path,
            ])
        try await courierETA.stop()
        #expect(exit == .code(2) && output.contains(path), "\(output)")
        #expect(courierETA.requestCount == 0)
    }

    @Test("A picture or JSON is printed of a new phone, and not both")
    func output() throws {
        let flags = ["--courier", "mira", "--app", "owntracks"]
        #expect(try CourierEnroll.parse(flags + ["--png", "x"]).png == "x")
        #expect(try CourierEnroll.parse(flags + ["--json"]).png == nil)
        #expect(throws: (any Error).self) { try CourierEnroll.parse(flags + ["--png", "x", "--json"]) }
    }
}

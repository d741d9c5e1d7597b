import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import TestSupport
import Testing
import WireCoding

@Suite("Exporting commands", .timeLimit(.minutes(5)))
struct ExportTests {
    @Test("An archive that its disk has no room for is reported in words, and nothing is left of it")
    func noRoom() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (token, archive) = (folder.appending(path: "token"), folder.appending(path: "mette.json"))
        try Data("token\n".utf8).write(to: token)
        let now = Date(timeIntervalSince1970: 1_795_280_400)
        let done = PersonRequestBody(
            id: "00000000-0000-4000-8000-000000000001", kind: .export, state: .done,
            customer: CustomerID(rawValue: "mette"), requestedBy: "operator ada", requestedAt: now, finishedAt: now,
            services: [], expiries: nil, archive: "/v1/archive")
        let answer = String(decoding: try WireJSON.encode(done), as: UTF8.self)
        let orders = try await ScriptedHTTPServer.start { request in
            request.head.method == .POST
                ? .answer(202, body: answer) : .answer(200, body: String(repeating: " ", count: 4_000) + "{}\n")
        }
        // The shell allows files of 1,024 bytes, and has a longer write fail as on a full disk.
        let (exit, output) = try await ChildProcess.run(
            "/bin/bash",
            [
                "-c", #"ulimit -f 1; trap '' XFSZ; exec "$@""#, "bash", try Executables.path(of: "doorstep-admin").path,
                "customer", "export", "mette", "--output", archive.path,
            ],
            environment: [
                "PATH": "/usr/bin:/bin", "DOORSTEP_ORDERS_URL": orders.origin,
                "DOORSTEP_OPERATOR_TOKEN_FILE": token.path,
            ])
        try await orders.stop()
        #expect(exit == .code(6) && output.contains("mette.json cannot be written: "), "\(output)")
        #expect(!output.contains("Error Domain"), "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["token"])
    }
}

import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import TestSupport
import Testing
import WireCoding

@Suite("Exports that are interrupted", .timeLimit(.minutes(5)))
struct InterruptedExportTests {
    @Test("A signal during the download leaves nothing of its file", arguments: [SIGINT, SIGTERM, SIGHUP])
    func discarded(signal: Int32) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let token = folder.appending(path: "token")
        try Data("token\n".utf8).write(to: token)
        let now = Date(timeIntervalSince1970: 1_795_280_400)
        let done = PersonRequestBody(
            id: "00000000-0000-4000-8000-000000000001", kind: .export, state: .done,
            customer: CustomerID(rawValue: "mette"), requestedBy: "operator ada", requestedAt: now, finishedAt: now,
            services: [], expiries: nil, archive: "/v1/archive")
        let answer = String(decoding: try WireJSON.encode(done), as: UTF8.self)
        let server = try await ScriptedHTTPServer.start { request in
            request.head.method == .POST ? .answer(202, body: answer) : .answerWithoutEnd(200)
        }
        let export = try ChildProcess(
            try Executables.path(of: "doorstep-admin").path,
            ["customer", "export", "mette", "--output", folder.appending(path: "mette.json").path],
            environment: [
                "PATH": "/usr/bin:/bin", "DOORSTEP_ORDERS_URL": server.origin,
                "DOORSTEP_OPERATOR_TOKEN_FILE": token.path,
            ])
        // The file's part is made before the archive is requested.
        for _ in 1...2 { _ = try await server.request() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains("mette.json.part"))
        export.signal(signal)
        #expect(await export.wait() == .code(130))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["token"])
        try await server.stop()
    }
}

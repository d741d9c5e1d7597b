import Foundation
import NIOHTTP1
import ScriptedPeers
import Synchronization
import TestSupport
import Testing

private let delivery = "00000000-0000-4000-8000-000000000001"

@Suite("Changes without an answer", .timeLimit(.minutes(5)))
struct UnansweredChangeTests {
    @Test(
        "A change that a service may have made names the command that shows it, and is sent once",
        arguments: [
            ("webhooks add https://shop.example/in --json", "webhooks list"),
            ("webhooks change e-1 --description x --json", "webhooks show e-1"),
            ("webhooks rotate e-1 --json", "webhooks show e-1"),
            ("webhooks replay e-1 --event v-1", "webhooks log e-1"),
            ("webhooks trigger delivery.en_route --endpoint e-1", "webhooks log e-1"),
            ("sources add velo --provider doordash --json", "sources list"),
            ("sources rotate velo --json", "sources show velo"),
            ("courier enroll --courier mira --unknown --app owntracks --json", "courier phones --courier mira"),
            ("order set-status \(delivery) --status picking", "order show 00000000-0000-4000"),
            ("order item \(delivery) --item i-1 --status removed", "order show 00000000-0000-4000"),
            ("order place --reference G-1 --customer mette --door 55.69,12.58 --item Milk", "order show G-1"),
        ])
    func named(line: String, shownBy command: String) async throws {
        let server = try await ScriptedHTTPServer.start { _ in .close }
        let (exit, output) = try await Self.run(line.split(separator: " ").map(String.init), against: server)
        #expect(exit == .code(6), "\(output)")
        let warning = "The change may have been made: see `doorstep \(command)` before you repeat it"
        #expect(output.contains(warning), "\(output)")
        #expect(server.requestCount == 1)
        try await server.stop()
    }

    @Test(
        "An order that may have been placed names the key that a repeat needs, which is the sent one",
        arguments: [([], nil), (["--idempotency-key", "try-7"], "try-7")] as [([String], String?)])
    func keyOfOrder(options: [String], given: String?) async throws {
        let keys = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            keys.withLock { $0.append(request.value("Idempotency-Key") ?? "") }
            return .close
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }  // A temporary file that is left is harmless.
        try Data(#"{"customer": "mette", "reference": "G 1"}"#.utf8).write(to: file)
        let (exit, output) = try await Self.run(["order", "place", "--file", file.path] + options, against: server)
        #expect(exit == .code(6), "\(output)")
        let sent = keys.withLock { $0 }
        let key = try #require(sent.first)
        #expect(sent.count == 1 && !key.isEmpty && (given ?? key) == key)
        #expect(output.contains("see `doorstep order show 'G 1'` before you repeat it"), "\(output)")
        #expect(output.contains("a repeat of the same body needs `--idempotency-key \(key)`"), "\(output)")
        try await server.stop()
    }

    @Test("An order whose answer cannot be read is named with its key, as one without an answer is")
    func unreadableOrder() async throws {
        let server = try await ScriptedHTTPServer.start { _ in .answer(201, body: "<html>") }
        let (exit, output) = try await Self.place(reference: "G 1", against: server)
        #expect(exit == .code(6) && output.contains("an answer that cannot be read"), "\(output)")
        #expect(output.contains("see `doorstep order show 'G 1'` before you repeat it"), "\(output)")
        #expect(output.contains("a repeat of the same body needs `--idempotency-key try-7`"), "\(output)")
        #expect(server.requestCount == 1)
        try await server.stop()
    }

    @Test(
        "A reference that the terminal cannot show is a placeholder, and not the name of another order",
        arguments: [("C", "REFERENCE"), ("C.UTF-8", "'Ø-1'")])
    func unshowableReference(locale: String, name: String) async throws {
        let server = try await ScriptedHTTPServer.start { _ in .close }
        let (exit, output) = try await Self.place(
            reference: "Ø-1", against: server, environment: ["LC_ALL": locale])
        #expect(exit == .code(6), "\(output)")
        #expect(output.contains("see `doorstep order show \(name)` before you repeat it"), "\(output)")
        try await server.stop()
    }

    /// Places an order from a file, with the key `try-7`.
    private static func place(
        reference: String, against server: ScriptedHTTPServer, environment: [String: String] = [:]
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }  // A temporary file that is left is harmless.
        try Data(#"{"customer": "mette", "reference": "\#(reference)"}"#.utf8).write(to: file)
        return try await run(
            ["order", "place", "--file", file.path, "--idempotency-key", "try-7"], against: server,
            environment: environment)
    }

    /// Runs `doorstep` with every service at one address.
    private static func run(
        _ arguments: [String], against server: ScriptedHTTPServer, environment: [String: String] = [:]
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: token) }  // A temporary file that is left is harmless.
        try Data("token\n".utf8).write(to: token)
        return try await ChildProcess.run(
            try Executables.path(of: "doorstep").path, arguments,
            environment: [
                "PATH": "/usr/bin:/bin", "DOORSTEP_ORDERS_URL": server.origin, "DOORSTEP_PARTNERS_URL": server.origin,
                "DOORSTEP_COURIER_ETA_URL": server.origin, "DOORSTEP_ACTIVITY_DISPATCH_URL": server.origin,
                "DOORSTEP_STORE_TOKEN_FILE": token.path, "DOORSTEP_OPERATOR_TOKEN_FILE": token.path,
            ].merging(environment) { $1 })
    }
}

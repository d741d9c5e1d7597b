import Foundation
import NIOHTTP1
import ScriptedPeers
import TestSupport
import Testing

@Suite("Streams that may not be built again", .timeLimit(.minutes(5)))
struct RefusedRebuildTests {
    /// Runs the command without a broker.
    ///
    /// - Parameter status: each service's answer to the list of reads; it answers 404 to all else.
    private func rebuild(whereServicesAnswer status: Int) async throws -> (exit: ChildProcess.Exit, output: String) {
        let server = try await ScriptedHTTPServer.start { request in
            let isAsked = request.head.uri.hasPrefix("/v1/personal-reads?until=1970-")
            return .answer(isAsked ? status : 404, body: "{}")
        }
        let result = try await runCommand(
            ["rebuild-streams", "--yes"], over: server, executable: "doorstep-admin",
            environment: ["NATS_URL": "nats://127.0.0.1:1"])
        #expect(server.requestCount == 4)
        try await server.stop()
        return result
    }

    @Test("A token that a service refuses is reported before a stream is touched", arguments: [401, 403, 404])
    func refused(status: Int) async throws {
        // No broker listens: reached first, it would be unavailable.
        let (exit, output) = try await rebuild(whereServicesAnswer: status)
        #expect(exit == .code(4), "\(output)")
        #expect(output.contains("orders: ") && output.contains("nothing was deleted"), "\(output)")
    }

    @Test("Services that let republish, and those that are away, leave it to the broker", arguments: [200, 503])
    func allowed(status: Int) async throws {
        let (exit, output) = try await rebuild(whereServicesAnswer: status)
        #expect(exit == .code(6), "\(output)")
        #expect(!output.contains("nothing was deleted"), "\(output)")
    }
}

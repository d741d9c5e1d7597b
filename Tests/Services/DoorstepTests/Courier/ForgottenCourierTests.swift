import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing
import WireCoding

@Suite("Commands about a courier whom courier-eta has forgotten", .timeLimit(.minutes(5)))
struct ForgottenCourierTests {
    /// Runs a command beside services that know no courier.
    ///
    /// - Parameters:
    ///   - phones: the courier's phones that are kept.
    ///   - isAway: whether the list of couriers is not answered.
    /// - Returns: how the command ended, and its requests about the courier's link.
    private func run(
        _ line: String, phones: [PhoneBody] = [], isAway: Bool = false
    ) async throws -> (exit: ChildProcess.Exit, output: String, sent: [String]) {
        let kept = String(decoding: try WireJSON.encode(PhonesBody(phones: phones)), as: UTF8.self)
        let sent = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            let uri = request.head.uri
            if uri.hasSuffix("/phones") { return .answer(200, body: kept) }
            guard uri.hasSuffix("/link") else { return isAway ? .close : .answer(200, body: #"{"couriers":[]}"#) }
            sent.withLock { $0.append("\(request.head.method.rawValue) \(uri)") }
            return .answer(200, body: #"{"revoked":true}"#)
        }
        let (exit, output) = try await runCommand(line.split(separator: " ").map(String.init), over: server)
        try await server.stop()
        return (exit, output, sent.withLock { $0 })
    }

    @Test("Their link is revoked, also while courier-eta is away", arguments: [false, true])
    func revoked(isAway: Bool) async throws {
        let (exit, output, sent) = try await run("courier link --courier bo --revoke --yes", isAway: isAway)
        #expect(exit == .code(0) && output == "Every link to the page of bo shows nothing any more\n", "\(output)")
        #expect(sent == ["DELETE /v1/couriers/bo/link"])
    }

    @Test("No link is made for them, as for a mistyped id")
    func refused() async throws {
        let (exit, output, sent) = try await run("courier link --courier bo")
        #expect(exit == .code(3) && output.contains("courier-eta knows no courier bo") && sent.isEmpty, "\(output)")
    }

    @Test("Their revoked phones are listed as long as they are kept; a courier without any is refused")
    func phones() async throws {
        let bo = try #require(CourierID(rawValue: "bo"))
        let at = Date(timeIntervalSince1970: 1_795_284_000)
        let phone = PhoneBody(
            phone: "6920c0de-1a2b3c4d", courier: bo, app: nil, label: nil, enrolledAt: at, enrolledBy: "operator ada",
            revokedAt: at, revokedBy: "operator ada", lastSeenAt: nil)
        let (listed, output, _) = try await run("courier phones --courier bo --json", phones: [phone])
        #expect(listed == .code(0) && output.contains(#""6920c0de-1a2b3c4d""#), "\(output)")
        let (refused, reason, _) = try await run("courier phones --courier bo --json")
        #expect(refused == .code(3) && reason.contains("courier-eta knows no courier bo"), "\(reason)")
    }
}

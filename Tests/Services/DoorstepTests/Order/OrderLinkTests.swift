import DeliverySamples
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing

@Suite("doorstep order link", .timeLimit(.minutes(5)))
struct OrderLinkTests {
    /// Runs a command beside a server that answers every request as a revocation.
    private func run(
        _ arguments: [String]
    ) async throws -> (exit: ChildProcess.Exit, output: String, sent: [String]) {
        let sent = Mutex<[String]>([])
        let orders = try await ScriptedHTTPServer.start { request in
            sent.withLock { $0.append("\(request.head.method.rawValue) \(request.head.uri)") }
            return .answer(200, body: #"{"revoked":true}"#)
        }
        let (exit, output) = try await runCommand(arguments, over: orders, holders: ["STORE", "OPERATOR"])
        try await orders.stop()
        return (exit, output, sent.withLock { $0 })
    }

    @Test(
        "Without a terminal what cannot be undone needs --yes, and nothing is sent",
        arguments: [
            "order link G-1042 --revoke", "courier link --courier mira --revoke", "ops face nordhavn --remove logo",
        ])
    func unconfirmed(line: String) async throws {
        let (exit, output, sent) = try await run(line.split(separator: " ").map(String.init))
        #expect(exit == .code(2) && output.contains("--yes") && sent.isEmpty, "\(output)")
    }

    @Test("A revocation prints which links show nothing any more, and that those on the customer's card stay")
    func revoked() async throws {
        let delivery = SampleDeliveries.whole([]).id
        let (exit, output, sent) = try await run(["order", "link", "\(delivery)", "--revoke", "--yes"])
        #expect(exit == .code(0))
        #expect(
            output == """
                Every link that was made to show delivery \(delivery) shows nothing any more; those on the \
                customer's own card stay

                """)
        #expect(sent == ["DELETE /v1/deliveries/\(delivery)/view-link"])
    }
}

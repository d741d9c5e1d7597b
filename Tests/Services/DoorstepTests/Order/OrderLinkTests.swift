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
    @Test("A revocation prints which links show nothing any more, and that those on the customer's card stay")
    func revoked() async throws {
        let delivery = SampleDeliveries.whole([]).id
        let sent = Mutex<[String]>([])
        let orders = try await ScriptedHTTPServer.start { request in
            sent.withLock { $0.append("\(request.head.method.rawValue) \(request.head.uri)") }
            return .answer(200, body: #"{"revoked":true}"#)
        }
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: token) }
        try Data("token\n".utf8).write(to: token)
        let (exit, output) = try await ChildProcess.run(
            try Executables.path(of: "doorstep").path, ["order", "link", "\(delivery)", "--revoke"],
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "DOORSTEP_ORDERS_URL": orders.origin,
                "DOORSTEP_STORE_TOKEN_FILE": token.path,
            ])
        try await orders.stop()
        #expect(exit == .code(0))
        #expect(
            output == """
                Every link that was made to show delivery \(delivery) shows nothing any more; those on the \
                customer's own card stay

                """)
        let requests = sent.withLock { $0 }
        #expect(requests == ["DELETE /v1/deliveries/\(delivery)/view-link"])
    }
}

import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import ScriptedPeers
import TestSupport
import Testing
import WireCoding

@testable import Doorstep

@Suite("What doorstep open prints", .timeLimit(.minutes(5)))
struct OpenOutputTests {
    @Test(
        "Where the locale is not UTF-8 sentences are in ASCII",
        arguments: [(.leaveAtDoor, "ved doeren"), (.details, "Ordre G-1042 fra Nordhavn")] as [(Verb, String)])
    func ascii(verb: Verb, text: String) async throws {
        let sample = SampleDelivery(status: .enRoute, flags: [])
        let card = try PreviewedCard(sample, phone: Phone(hasIsland: true, permission: .allowed), isStale: false).card
        let body = LinkBody(
            verb: verb, delivery: DeliveryID(UUID()), message: "The service's own words", isPressable: true, why: nil,
            phone: nil, attributes: card.attributes, content: card.content)
        let json = String(decoding: try WireJSON.encode(body), as: UTF8.self)
        let server = try await ScriptedHTTPServer.start { _ in .answer(200, body: json) }
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: token) }  // A temporary file that is left is harmless.
        try Data("token\n".utf8).write(to: token)
        let (exit, output) = try await ChildProcess.run(
            try Executables.path(of: "doorstep").path, ["open", "\(server.origin)/l/abc", "--locale", "da"],
            environment: [
                "PATH": "/usr/bin:/bin", "LC_ALL": "C", "DOORSTEP_ORDERS_URL": server.origin,
                "DOORSTEP_CUSTOMER_TOKEN_FILE": token.path,
            ])
        #expect(exit == .code(0), "\(output)")
        #expect(output.utf8.allSatisfy { $0 < 0x80 } && output.contains(text), "\(output)")
        try await server.stop()
    }
}

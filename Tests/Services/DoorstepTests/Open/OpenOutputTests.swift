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
        let (exit, output) = try await open(verb)
        #expect(exit == .code(0), "\(output)")
        #expect(output.utf8.allSatisfy { $0 < 0x80 } && output.contains(text), "\(output)")
    }

    @Test("Where the locale is not UTF-8 the reason of a refused press is in ASCII")
    func asciiRefusal() async throws {
        let (exit, output) = try await open(.leaveAtDoor, why: "The courier is at the door already")
        #expect(exit == .code(5), "\(output)")
        let isASCII = output.utf8.allSatisfy { $0 < 0x80 }
        #expect(isASCII && output.contains("doorstep: Det kan buddet ikke blive bedt om laengere"), "\(output)")
    }

    /// Opens a link in Danish, where the locale is not UTF-8.
    ///
    /// - Parameter why: the reason why the link cannot be pressed; nil where it can.
    private func open(_ verb: Verb, why: String? = nil) async throws -> (exit: ChildProcess.Exit, output: String) {
        let sample = SampleDelivery(status: .enRoute, flags: [])
        let card = try PreviewedCard(sample, phone: Phone(hasIsland: true, permission: .allowed), isStale: false).card
        let body = LinkBody(
            verb: verb, delivery: DeliveryID(UUID()), message: "The service's own words", isPressable: why == nil,
            why: why, phone: nil, attributes: card.attributes, content: card.content)
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
        try await server.stop()
        return (exit, output)
    }
}

import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import TestSupport
import Testing
import WireCoding

@Suite("Erasing commands", .timeLimit(.minutes(5)))
struct ErasureTests {
    private static let request = "00000000-0000-4000-8000-000000000001"

    /// Erases a person by a command, with the certificate that `orders` answers.
    ///
    /// - Parameter tables: the erased rows of one of the services; the other one has none.
    private func erase(
        _ person: String, _ id: String, certified tables: [PersonRequestBody.Service.Table]
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let now = Date(timeIntervalSince1970: 1_795_280_400)
        let done = PersonRequestBody(
            id: Self.request, kind: .erase, state: .done, person: person == "courier" ? .courier : .customer,
            customer: nil, requestedBy: "operator ada", requestedAt: now, finishedAt: now,
            services: [
                .init(service: "desk", isDone: true, tables: []),
                .init(service: "orders", isDone: true, tables: tables),
            ],
            expiries: [])
        let answer = String(decoding: try WireJSON.encode(done), as: UTF8.self)
        let path = "/v1/\(person)s/\(id)/erase"
        let orders = try await ScriptedHTTPServer.start { request in
            request.head.method == .POST && request.head.uri == path ? .answer(202, body: answer) : .answer(404)
        }
        let ended = try await runCommand([person, "erase", id, "--yes"], over: orders, executable: "doorstep-admin")
        try await orders.stop()
        return ended
    }

    @Test("An id of which nothing was known is warned about after its certificate", arguments: ["customer", "courier"])
    func unknown(person: String) async throws {
        let (exit, output) = try await erase(person, "mete", certified: [])
        #expect(exit == .code(0), "\(output)")
        #expect(output.contains("erased: request \(Self.request)"))
        #expect(output.contains("nothing was known of \(person) mete: check the id"))
    }

    @Test("A person of whom rows were erased is certified as erased", arguments: ["customer", "courier"])
    func known(person: String) async throws {
        let (exit, output) = try await erase(person, "mette", certified: [.init(table: "deliveries", rows: 2)])
        #expect(exit == .code(0), "\(output)")
        #expect(output.contains("orders deliveries: 2 erased") && !output.contains("nothing was known"))
    }
}

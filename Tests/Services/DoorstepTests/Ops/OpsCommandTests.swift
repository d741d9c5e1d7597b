import DeliverySamples
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing
import WireCoding

@Suite("What doorstep ops prints and sends", .timeLimit(.minutes(5)))
struct OpsCommandTests {
    private static let delivery = SampleDeliveries.whole([])
    private static let refusal = #"{"type":"https://doorstep.dev/problems/conflict","title":"Too late","status":409}"#

    /// Runs a command as an operator, with one server as every service.
    ///
    /// - Returns: how it ended, and what it sent besides reads.
    private func run(
        _ arguments: [String], answer: @escaping @Sendable (_ request: String) -> ScriptedHTTPServer.Reaction
    ) async throws -> (exit: ChildProcess.Exit, output: String, sent: [String]) {
        let sent = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            let line = "\(request.head.method.rawValue) \(request.head.uri)"
            if request.head.method != .GET { sent.withLock { $0.append(line) } }
            return answer(line)
        }
        let (exit, output) = try await runCommand(["ops"] + arguments, over: server)
        try await server.stop()
        return (exit, output, sent.withLock { $0 })
    }

    private static func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(body), as: UTF8.self)
    }

    /// Runs a dry run of a change of the sample delivery.
    ///
    /// - Parameter isRefused: whether `orders` refuses the change.
    private func dryRun(
        _ command: String, _ options: [String], isRefused: Bool
    ) async throws -> (exit: ChildProcess.Exit, output: String, sent: [String]) {
        let body = DeliveryBody(Self.delivery, dropOff: nil, links: [], for: Principal(.operator("ada")))
        let read = try Self.json(body)
        let arguments = [command, Self.delivery.id.rawValue, "--reason", "test", "--dry-run"] + options
        return try await run(arguments) { request in
            if request.hasPrefix("GET /v1/estimates") { return .answer(404, body: "{}") }
            if request.hasPrefix("GET") || !isRefused { return .answer(200, body: read) }
            return .answer(409, body: Self.refusal)
        }
    }

    @Test("A dry run has what orders would accept, asks for a preview alone, and sends no change")
    func acceptedDryRun() async throws {
        let path = "/v1/deliveries/\(Self.delivery.id)"
        let status = try await dryRun("set-status", ["--status", "picking"], isRefused: false)
        #expect(status.exit == .code(0) && status.output.contains("would be set to picking: "), "\(status.output)")
        #expect(status.sent == ["POST \(path)/status?preview=true"])
        let courier = try await dryRun("assign", ["--courier", "ali", "--unknown"], isRefused: false)
        #expect(courier.exit == .code(0) && courier.output.contains("would be assigned to ali"), "\(courier.output)")
        #expect(courier.sent == ["PUT \(path)/courier?unknown=true&preview=true"])
    }

    @Test(
        "A dry run of a change that orders refuses fails with the reason, and has the doubt about a window",
        arguments: [
            (["set-status", "--status", "picking"], "not set to picking: Too late"),
            (["hold"], "not put on hold: Too late"),
            (
                ["promise", "--from", "2020-01-01T10:00:00Z", "--to", "2020-01-01T11:00:00Z"],
                "(this window has passed): Too late"
            ),
        ])
    func refusedDryRun(command: [String], reason: String) async throws {
        let (exit, output, _) = try await dryRun(command[0], Array(command.dropFirst()), isRefused: true)
        #expect(exit == .code(5) && output.contains(reason), "\(output)")
        #expect(!output.contains("would be"))
    }

    @Test(
        "A courier with a broken vehicle gives every delivery away, unless the others are handed over by word",
        arguments: [false, true])
    func othersToGiveAway(areHandedOver: Bool) async throws {
        let held = SampleDeliveries.whole(
            SampleDeliveries.toEnRoute + [.hold(reason: CourierProblem.vehicle.reason)])
        let word: [DeliveryChange] = areHandedOver ? [.handedOverUnconfirmed] : []
        let other = SampleDeliveries.whole(
            number: 2, SampleDeliveries.toEnRoute + word, proof: DeliveryProof(required: [ProofKind.photo]))
        let operating = Principal(.operator("ada"))
        let rows = [held, other].map { BoardBody.Row($0, risk: .onTime, estimate: nil, cards: nil, for: operating) }
        let board = try Self.json(
            BoardBody(
                counts: .init(live: 2, late: 0, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
                deliveries: rows, next: nil))
        let delivery = try Self.json(DeliveryBody(held, dropOff: nil, links: [], for: operating))
        let timeline = try Self.json(TimelineBody(delivery: held.id, entries: []))
        let (exit, output, _) = try await run(["why", held.id.rawValue]) { request in
            if request.hasPrefix("GET /v1/deliveries?courier=mira") { return .answer(200, body: board) }
            guard request.hasPrefix("GET /v1/deliveries/\(held.id)") else { return .answer(404, body: "{}") }
            return .answer(200, body: request.hasSuffix("/timeline") ? timeline : delivery)
        }
        #expect(exit == .code(0) && output.contains("It is on hold"), "\(output)")
        #expect(output.contains("→ doorstep ops assign --from mira ") == !areHandedOver, "\(output)")
    }

    private static func letter(_ number: Int) -> DeadLetterBody {
        DeadLetterBody(
            id: "letter-\(number)", subject: "orders.delivery-changed", error: "no", attempts: 1,
            occurredAt: SampleDeliveries.at(0), state: "open", payload: nil)
    }

    @Test("With --json a page of a list has the options of the next page on standard error")
    func morePages() async throws {
        let page = try Self.json(DeadLettersBody(deadLetters: [Self.letter(1)], next: "c2"))
        let (exit, output, _) = try await run(["dead-letters", "list", "--service", "orders", "--json"]) { _ in
            .answer(200, body: page)
        }
        #expect(exit == .code(0) && output.contains("there is more: --service orders --cursor c2"), "\(output)")
        #expect(output.split(separator: "\n").count { $0.hasPrefix("{") } == 1)
    }

    @Test("More dead letters than one command handles are counted in the prompt, and the rest is named at the end")
    func manyDeadLetters() async throws {
        let page = try Self.json(DeadLettersBody(deadLetters: (1...1_000).map(Self.letter), next: "c2"))
        let one = try Self.json(Self.letter(1))
        let answer: @Sendable (String) -> ScriptedHTTPServer.Reaction = { request in
            .answer(200, body: request == "GET /v1/admin/dead-letters" ? page : one)
        }
        let dropped = try await run(
            ["dead-letters", "drop", "--all", "--service", "orders", "--reason", "test"], answer: answer)
        #expect(dropped.exit == .code(2) && dropped.sent.isEmpty)
        #expect(dropped.output.contains("Give 1000 of the open dead letters up?"), "\(dropped.output)")
        let retried = try await run(["dead-letters", "retry", "--all", "--service", "orders"], answer: answer)
        #expect(retried.exit == .code(0) && retried.sent.count == 1_000)
        #expect(retried.output.hasSuffix("more are open: repeat the command\n"), "\(retried.output.suffix(200))")
    }

    @Test("Where only the logo of a store's face is refused, the failure has that the rest was changed")
    func refusedLogo() async throws {
        let logo = FileManager.default.temporaryDirectory.appending(path: "logo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: logo) }
        try Data("no image".utf8).write(to: logo)
        let face = #"{"store":"nordhavn","version":1,"name":"Nordhavn"}"#
        let (exit, output, sent) = try await run(["face", "nordhavn", "--name", "Nord", "--logo", logo.path]) {
            $0.hasSuffix("/logo") ? .answer(409, body: Self.refusal) : .answer(200, body: face)
        }
        #expect(exit == .code(5) && output.contains("all but the logo was changed"), "\(output)")
        #expect(sent == ["PUT /v1/stores/nordhavn/face", "PUT /v1/stores/nordhavn/face/logo"])
    }
}

import CommandOutput
import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing
import WireCoding

@testable import Doorstep

extension CourierMoveTests {
    func json(_ body: some Encodable) throws -> String { String(decoding: try WireJSON.encode(body), as: UTF8.self) }

    /// The preview of a change of the first sample delivery.
    func preview() -> PreviewBody {
        let snapshot = DeliverySnapshot(SampleDeliveries.whole(SampleDeliveries.toEnRoute), links: [])
        return PreviewBody(
            changes: true, delivery: body(SampleDeliveries.toEnRoute, number: 1),
            activity: ActivityStep.after(snapshot, arrival: nil, step: 0), alert: nil, cards: nil)
    }

    /// Runs `doorstep ops assign` as an operator, with the server as every service.
    func assign(
        _ arguments: [String], over server: ScriptedHTTPServer,
        whileRunning body: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let output = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: token) }
        try Data("token\n".utf8).write(to: token)
        let process = try ChildProcess(
            try Executables.path(of: "doorstep").path, ["ops", "assign"] + arguments + ["--reason", "flat"],
            environment: [
                "PATH": "/usr/bin:/bin", "DOORSTEP_ORDERS_URL": server.origin,
                "DOORSTEP_COURIER_ETA_URL": server.origin, "DOORSTEP_ACTIVITY_DISPATCH_URL": server.origin,
                "DOORSTEP_OPERATOR_TOKEN_FILE": token.path,
            ], standardOutput: .file(output.path), standardError: .file(output.path))
        try await body(process)
        let exit = await process.wait()
        return (exit, try String(contentsOf: output, encoding: .utf8))
    }

    /// Gives three deliveries of Ali to Mira, over services with these answers.
    ///
    /// - Parameters:
    ///   - answer: to a request but those for previews; nil for the services' own.
    ///   - body: runs beside the command.
    private func assignThree(
        answer: @escaping @Sendable (ScriptedHTTPServer.Request) -> ScriptedHTTPServer.Reaction?,
        whileRunning body: (ChildProcess, ScriptedHTTPServer) async throws -> Void = { _, _ in }
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let mira = try courier("mira")
        let stops = try (1...3).map { try stop($0, isAdded: true, stopsBefore: $0 - 1) }
        let couriers = try json(
            CouriersBody(
                couriers: [
                    .init(courier: mira, name: "Mira", phones: 1, lastSeenAt: nil, onDuty: true, deliveries: 0)
                ], next: nil))
        let trip = try json(TripPreviewBody(courier: mira, asOf: SampleDeliveries.at(0), stops: stops))
        let (previewed, changed) = try (json(preview()), json(self.body(SampleDeliveries.toEnRoute, number: 1)))
        let server = try await ScriptedHTTPServer.start { request in
            let uri = request.head.uri
            if uri.contains("preview=true") { return .answer(200, body: previewed) }
            if let reaction = answer(request) { return reaction }
            if request.head.method == .PUT { return .answer(200, body: changed) }
            return .answer(200, body: uri.contains("/trip") ? trip : couriers)
        }
        let arguments = stops.map(\.delivery.rawValue) + ["--courier", "mira"]
        let result = try await assign(arguments, over: server) { try await body($0, server) }
        try await server.stop()
        return result
    }

    /// Gives three deliveries of Ali to Mira, over services that do not answer the change of the second.
    ///
    /// - Parameter present: the second delivery as it is read after that; nil where it cannot be read.
    private func assignThree(
        leaving present: DeliveryBody?
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let (status, shown) = (present == nil ? 500 : 200, try present.map { try json($0) } ?? "{}")
        return try await assignThree(answer: { request in
            guard request.head.uri.hasPrefix("/v1/deliveries/00000000-0000-4000-8000-000000000002") else { return nil }
            return request.head.method == .PUT ? .answer(500, body: "{}") : .answer(status, body: shown)
        })
    }

    @Test(
        "A signal ends a move after the way back of each change that is made, and the name of one that may be",
        .timeLimit(.minutes(5)))
    func interrupted() async throws {
        let changes = Mutex(0)
        let (exit, output) = try await assignThree { request in
            guard request.head.method == .PUT else { return nil }
            let number = changes.withLock { changes in
                changes += 1
                return changes
            }
            // No answer to the second.
            return number == 2 ? .hold : nil
        } whileRunning: { process, server in
            repeat { _ = try await server.request() } while changes.withLock({ $0 }) < 2
            process.signal(SIGINT)
        }
        #expect(exit == .code(130), "\(output)")
        let sent = changes.withLock { $0 }
        #expect(sent == 2)
        let lines = output.split(separator: "\n")
        let warning = ": the change may have been made: see `doorstep ops show "
        #expect(lines.count { $0.hasPrefix("undo: doorstep ops assign ") } == 1, "\(output)")
        #expect(lines.count { $0.contains(warning) } == 1, "\(output)")
    }

    @Test("A change that is refused while the move is interrupted has its reason, and another may be made")
    func refusedWhileInterrupted() throws {
        let id = try #require(DeliveryID(rawValue: "00000000-0000-4000-8000-000000000002"))
        let refusal = CommandFailure(.conflict, "it is delivered")
        #expect(CourierMove.outcome(of: id, after: refusal) == "it is delivered")
        let unknown = "the change may have been made: see `doorstep ops show \(id)`"
        let errors: [any Error] = [CancellationError(), CommandFailure(.unavailable, "no answer", mayBeDone: true)]
        for error in errors { #expect(CourierMove.outcome(of: id, after: error) == unknown) }
    }

    @Test(
        "A move without an answer has its way back where the delivery shows it, and else is a failure",
        .timeLimit(.minutes(5)))
    func unanswered() async throws {
        let id = "00000000-0000-4000-8000-00000000000"
        func undo(_ number: Int) -> String {
            "undo: doorstep ops assign \(id)\(number) --courier ali --unknown --reason undo"
        }
        let warning = "The change may have been made: see `doorstep ops show \(id)2` before you repeat it"
        let ali = Courier(id: try courier("ali"), name: "Ali", vehicle: .bicycle, phone: nil)
        let notMoved = Array(SampleDeliveries.toEnRoute.prefix(3)) + [.courier(ali)]
        let cases: [(present: [DeliveryChange]?, isMade: Bool)] = [
            (SampleDeliveries.toEnRoute + [.stopsBefore(1)], true), (notMoved, false),
            // Another place on the trip, and a version before the change.
            (SampleDeliveries.toEnRoute, false), ([.courier(SampleDeliveries.mira)], false), (nil, false),
        ]
        for one in cases {
            let (exit, output) = try await assignThree(leaving: one.present.map { body($0, number: 2) })
            #expect(exit == .code(one.isMade ? 0 : 6), "\(output)")
            #expect(output.contains(undo(1)) && output.contains(undo(3)), "\(output)")
            #expect(output.contains(undo(2)) == one.isMade && output.contains(warning) != one.isMade, "\(output)")
        }
    }
}

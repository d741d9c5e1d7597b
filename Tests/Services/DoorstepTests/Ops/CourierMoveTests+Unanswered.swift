import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import TestSupport
import Testing
import WireCoding

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
        _ arguments: [String], over server: ScriptedHTTPServer
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: token) }
        try Data("token\n".utf8).write(to: token)
        return try await ChildProcess.run(
            try Executables.path(of: "doorstep").path, ["ops", "assign"] + arguments + ["--reason", "flat"],
            environment: [
                "PATH": "/usr/bin:/bin", "DOORSTEP_ORDERS_URL": server.origin,
                "DOORSTEP_COURIER_ETA_URL": server.origin, "DOORSTEP_ACTIVITY_DISPATCH_URL": server.origin,
                "DOORSTEP_OPERATOR_TOKEN_FILE": token.path,
            ])
    }

    /// Gives three deliveries of Ali to Mira, over services that do not answer the change of the second.
    ///
    /// - Parameter present: the second delivery as it is read after that; nil where it cannot be read.
    private func assignThree(
        leaving present: DeliveryBody?
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let mira = try courier("mira")
        let stops = try (1...3).map { try stop($0, isAdded: true, stopsBefore: $0 - 1) }
        let couriers = try json(
            CouriersBody(
                couriers: [
                    .init(courier: mira, name: "Mira", phones: 1, lastSeenAt: nil, onDuty: true, deliveries: 0)
                ], next: nil))
        let trip = try json(TripPreviewBody(courier: mira, asOf: SampleDeliveries.at(0), stops: stops))
        let (previewed, changed) = try (json(preview()), json(body(SampleDeliveries.toEnRoute, number: 1)))
        let (status, shown) = (present == nil ? 500 : 200, try present.map { try json($0) } ?? "{}")
        let second = "/v1/deliveries/\(stops[1].delivery)"
        let server = try await ScriptedHTTPServer.start { request in
            let uri = request.head.uri
            guard request.head.method == .PUT else {
                if uri.hasPrefix(second) { return .answer(status, body: shown) }
                return .answer(200, body: uri.contains("/trip") ? trip : couriers)
            }
            if uri.contains("preview=true") { return .answer(200, body: previewed) }
            return uri.hasPrefix(second) ? .answer(500, body: "{}") : .answer(200, body: changed)
        }
        let result = try await assign(stops.map(\.delivery.rawValue) + ["--courier", "mira"], over: server)
        try await server.stop()
        return result
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

import DeliverySamples
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import TestSupport
import Testing
import WireCoding

@Suite("doorstep ops resend and end-card", .timeLimit(.minutes(5)))
struct CardOverrideTests {
    /// Runs a command about a delivery whose only card is active on `iphone-1`.
    ///
    /// - Parameter changed: the cards that `activity-dispatch` changes.
    private func run(
        _ command: [String], changed: Int
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let activities = ActivitiesBody(activities: [SampleTimeline.activity(isBehind: false)])
        let read = String(decoding: try WireJSON.encode(activities), as: UTF8.self)
        let made = String(decoding: try WireJSON.encode(OverriddenBody(cards: changed)), as: UTF8.self)
        let dispatch = try await ScriptedHTTPServer.start { request in
            request.head.method == .GET ? .answer(200, body: read) : .answer(202, body: made)
        }
        let ended = try await runCommand(
            ["ops", command[0], SampleDeliveries.delivery().id.rawValue, "--reason", "stuck"] + command.dropFirst(),
            over: dispatch)
        try await dispatch.stop()
        return ended
    }

    @Test("It succeeds where a card is changed", arguments: [["resend"], ["end-card", "--yes"]])
    func changed(command: [String]) async throws {
        let (exit, output) = try await run(command, changed: 1)
        #expect(exit == .code(0) && output.contains("on 1 card"), "\(output)")
    }

    @Test(
        "Where no card is changed it is a conflict",
        arguments: [
            ["resend"], ["end-card", "--yes"], ["end-card", "--yes", "--device", "iphone-2"],
            ["end-card", "--dry-run", "--device", "iphone-2"],
        ])
    func unchanged(command: [String]) async throws {
        let (exit, output) = try await run(command, changed: 0)
        #expect(exit == .code(5) && output.contains("changed, since none is live"), "\(output)")
        #expect(output.contains("on that device") == command.contains("--device"))
    }
}

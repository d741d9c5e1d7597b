import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing
import WireCoding

@Suite("doorstep ops courier-map", .timeLimit(.minutes(5)))
struct OpsCourierMapTests {
    /// Runs the command while `courier-eta` knows mara alone.
    ///
    /// - Returns: how the command ended, and the requests about a map.
    private func run(_ arguments: [String]) async throws -> (exit: ChildProcess.Exit, output: String, maps: [String]) {
        let mara = CouriersBody.Row(
            courier: try #require(CourierID(rawValue: "mara")), name: "Mara", phones: 1, lastSeenAt: nil, onDuty: true,
            deliveries: 1)
        func page(_ couriers: [CouriersBody.Row]) throws -> String {
            String(decoding: try WireJSON.encode(CouriersBody(couriers: couriers, next: nil)), as: UTF8.self)
        }
        let (known, none) = (try page([mara]), try page([]))
        let maps = Mutex<[String]>([])
        let courierETA = try await ScriptedHTTPServer.start { request in
            let uri = request.head.uri
            guard uri.hasSuffix("/map") else {
                let isKnown = uri == "/v1/couriers" || uri == "/v1/couriers?courier=mara"
                return .answer(200, body: isKnown ? known : none)
            }
            maps.withLock { $0.append("\(request.head.method.rawValue) \(uri)") }
            return .answer(200, body: #"{"isShown":false}"#)
        }
        let (exit, output) = try await runCommand(["ops", "courier-map"] + arguments, over: courierETA)
        try await courierETA.stop()
        return (exit, output, maps.withLock { $0 })
    }

    @Test(
        "A mistyped courier is refused with the known one, and no map is changed or shown",
        arguments: [["--hide"], []])
    func mistyped(flags: [String]) async throws {
        let (exit, output, maps) = try await run(["marra"] + flags)
        #expect(exit == .code(3) && output.contains("mara Mara"), "\(output)")
        #expect(maps.isEmpty)
    }

    @Test(
        "A known courier, and with --unknown any other, is exempt from maps",
        arguments: [["mara"], ["noor", "--unknown"]])
    func exempt(arguments: [String]) async throws {
        let (exit, output, maps) = try await run(arguments + ["--hide"])
        #expect(exit == .code(0) && output.contains("no customer's map shows \(arguments[0])"), "\(output)")
        #expect(maps == ["PUT /v1/couriers/\(arguments[0])/map"])
    }
}

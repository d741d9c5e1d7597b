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

@Suite("doorstep order place --file", .timeLimit(.minutes(5)))
struct OrderPlaceTests {
    /// A misspelt property, and spaces that no encoder of this project writes.
    private static let file = #"{ "reference" : "A-7",  "address": {"street": "Nørregade 4", "doorcode": "1234"} }"#

    /// Places the order of a file.
    ///
    /// - Returns: how the command ended, and the bodies that `orders` received.
    private func place(
        _ file: String, answer: (status: Int, body: String)
    ) async throws -> (exit: ChildProcess.Exit, output: String, bodies: [String]) {
        let bodies = Mutex<[String]>([])
        let orders = try await ScriptedHTTPServer.start { request in
            guard request.head.uri == "/v1/orders" else {
                return .answer(200, body: #"{"url":"https://go.nordhavn.example/l/AQ"}"#)
            }
            bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return .answer(answer.status, body: answer.body)
        }
        let order = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: order) }
        try Data(file.utf8).write(to: order)
        let (exit, output) = try await runCommand(
            ["order", "place", "--file", order.path], over: orders, holders: ["STORE"])
        try await orders.stop()
        return (exit, output, bodies.withLock { $0 })
    }

    @Test("The file is sent as it is, so that orders refuses a property that it does not know, by its place")
    func refused() async throws {
        let problem = """
            {"type":"https://doorstep.dev/problems/malformed","title":"Malformed","status":400,\
            "errors":[{"path":"address.doorcode","message":"is no property"}]}
            """
        let (exit, output, bodies) = try await place(Self.file, answer: (400, problem))
        #expect(exit == .code(2), "\(output)")
        #expect(output.contains("address.doorcode is no property"), "\(output)")
        #expect(bodies == [Self.file])
    }

    @Test("The order that orders has placed is printed")
    func placed() async throws {
        let order = WrittenTimesTests.order(SampleDeliveries.whole([]))
        let answer = String(decoding: try WireJSON.encode(order), as: UTF8.self)
        let (exit, output, bodies) = try await place(Self.file, answer: (201, answer))
        #expect(exit == .code(0) && output.contains("order \(order.id)"), "\(output)")
        #expect(bodies == [Self.file])
    }

    @Test("A standard input that cannot be read is named")
    func unreadableInput() async throws {
        let output = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        // A read of a folder fails.
        let folder = open(FileManager.default.temporaryDirectory.path, O_RDONLY)
        defer { close(folder) }
        let child = try ChildProcess(
            try Executables.path(of: "doorstep").path, ["order", "place", "--file", "-"],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], standardInput: folder,
            standardOutput: .file(output.path), standardError: .file(output.path))
        let exit = await child.wait()
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(exit == .code(2) && text.contains("standard input cannot be read"), "\(text)")
    }

    @Test("A file that is no JSON is not sent")
    func noJSON() async throws {
        let (exit, output, bodies) = try await place(#"{"reference": }"#, answer: (201, "{}"))
        #expect(exit == .code(2) && output.contains("is not JSON"), "\(output)")
        #expect(bodies.isEmpty)
    }
}

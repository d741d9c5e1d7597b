import ArgumentParser
import Foundation
import LiveActivity
import TestSupport
import Testing
import WireCoding

@testable import Doorstep

/// What standard output is where nothing can be written to it.
enum BrokenOutput: String, CaseIterable, Sendable {
    case closedPipe = "a closed pipe"
    case fullDisk = "a full disk"
}

@Suite("Output that cannot be written", .timeLimit(.minutes(10)))
struct StandardOutputTests {
    /// The commands that write and need no stack, beside the help of each.
    private static let commands: [[String]] = [
        ["--version"], ["preview"], ["preview", "--plain"], ["preview", "--json"], ["strings"],
        ["strings", "--table", "cards"], ["strings", "FOLDER/new.xcstrings"],
        ["admin", "keys", "--directory", "FOLDER/new-keys"],
        ["admin", "token", "--role", "customer", "--subject", "mette"],
    ]

    /// The arguments that name each command and each group of commands.
    private static func paths(below command: any ParsableCommand.Type) -> [[String]] {
        [[]]
            + command.configuration.subcommands.flatMap { below in
                let name = below.configuration.commandName ?? String(describing: below).lowercased()
                return paths(below: below).map { [name] + $0 }
            }
    }

    @Test("Every command's help ends with 141 or with a sentence", arguments: BrokenOutput.allCases)
    func help(output: BrokenOutput) async throws {
        let paths = Self.paths(below: DoorstepCommand.self)
        #expect(paths.count > 50)
        for path in paths { try await expectEnd(of: path + ["--help"], into: output) }
    }

    @Test("Every command that needs no stack ends with 141 or with a sentence", arguments: BrokenOutput.allCases)
    func withoutStack(output: BrokenOutput) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keys = "\(folder.path)/keys"
        let (exit, text) = try await ChildProcess.run(
            try Executables.path(of: "doorstep-admin").path, ["keys", "--directory", keys])
        #expect(exit == .code(0), "\(text)")
        for command in Self.commands {
            try await expectEnd(
                of: command.map { $0.replacing("FOLDER", with: folder.path) }, into: output,
                environment: ["DOORSTEP_TOKEN_KEY_FILE": "\(keys)/admin.pem"])
        }
        try await expectEnd(of: ["--version", "--verbose"], executable: "doorstep-admin", into: output)
    }

    @Test(
        "What follows a stream ends with 141 or with a sentence",
        arguments: BrokenOutput.allCases,
        [["track", "--json"], ["track", "--plain"], ["webhooks", "listen", "--forward", "http://127.0.0.1:9/"]])
    func streams(output: BrokenOutput, command: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let token = folder.appending(path: "token")
        try Data("token\n".utf8).write(to: token)
        let service = try FakeService(streaming: try Self.events())
        let url = "http://127.0.0.1:\(service.port)"
        try await expectEnd(
            of: command, into: output,
            environment: [
                "DOORSTEP_ACTIVITY_DISPATCH_URL": url, "DOORSTEP_PARTNERS_URL": url, "DOORSTEP_ORDERS_URL": url,
                "DOORSTEP_CUSTOMER_TOKEN_FILE": token.path, "DOORSTEP_STORE_TOKEN_FILE": token.path,
                "XDG_STATE_HOME": folder.path,
            ])
    }

    /// What opens the stream of `partners`, and a push of `activity-dispatch`; each command passes over the other's.
    private static func events() throws -> String {
        let delivery = SampleDelivery(status: .enRoute, flags: [])
        let step = ActivityStep.after(
            delivery.snapshot, arrival: delivery.arrival, legProgress: delivery.legProgress, step: 1, now: delivery.now)
        guard case .show(let shown) = step else { throw CocoaError(.featureUnsupported) }
        let payload = try PushPayload.start(shown, timestamp: delivery.now, alert: nil).encoded()
        let body = """
            {"activity":"a","card":"c","delivery":"d","payload":\(String(decoding: payload, as: UTF8.self))}
            """
        let ready = #"{"secret":"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}"#
        return "event: ready\ndata: \(ready)\n\nid: 1\nevent: push\ndata: \(body)\n\n"
    }

    private func expectEnd(
        of arguments: [String], executable: String = "doorstep", into output: BrokenOutput,
        environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let files = "/tmp/doorstep-broken-\(UUID().uuidString)"
        defer { for name in [files, "\(files).errors"] { unlink(name) } }
        let program = [try Executables.path(of: executable).path] + arguments
        let all = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(environment) { $1 }
        let child: ChildProcess
        switch output {
        case .fullDisk:
            child = try ChildProcess(
                program[0], arguments, environment: all, standardOutput: .file("/dev/full"),
                standardError: .file("\(files).errors"))
        case .closedPipe:
            // The pipe's only reader is gone before the program begins.
            let script = #"mkfifo "$0"; exec 3<>"$0" 4>"$0" 3<&-; exec "$@" >&4 4>&-"#
            child = try ChildProcess(
                "/bin/sh", ["-c", script, files] + program, environment: all, standardOutput: .discarded,
                standardError: .file("\(files).errors"))
        }
        let exit = await child.wait()
        let errors = (try? String(contentsOfFile: "\(files).errors", encoding: .utf8)) ?? ""
        let isSilent = output == .closedPipe && (exit == .code(141) || exit == .signal(SIGPIPE)) && errors.isEmpty
        let isReported = exit == .code(6) && errors.contains("doorstep: the output could not be written: ")
        #expect(
            isSilent || isReported, "\(arguments.joined(separator: " ")) into \(output.rawValue): \(exit) \(errors)",
            sourceLocation: sourceLocation)
    }
}

/// A service on the loopback that answers each stream with the same events, and everything else with an empty object.
private final class FakeService: Sendable {
    let port: Int
    private let listener: Int32

    init(streaming events: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isBound else { throw CocoaError(.featureUnsupported) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Self.answer(connection, events)
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func answer(_ connection: Int32, _ events: String) {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !isWhole(text) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let isStream = text.prefix { $0 != "\r\n" }.contains("/stream")
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
        let answer = isStream ? "\(head)text/event-stream\r\n\r\n\(events)" : "\(head)application/json\r\n\r\n{}"
        _ = answer.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    }

    private static func isWhole(_ text: String) -> Bool {
        let parts = text.components(separatedBy: "\r\n\r\n")
        guard parts.count == 2 else { return false }
        let length = parts[0].lowercased().components(separatedBy: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        return parts[1].utf8.count >= length ?? 0
    }
}

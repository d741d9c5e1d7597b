internal import Foundation
internal import Glibc
package import NatsClient
internal import Synchronization
package import Testing

/// A nats-server of the test's own: JetStream on, loopback only, its files in a temporary folder.
///
/// It ends and its folder goes with this object, and with the test process, however that ends.
package final class PrivateNats: Sendable {
    /// Why there is no server to test against.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    package let port: UInt16
    private let folder: URL
    /// Configuration text behind our own, such as accounts with permissions.
    private let extraConfiguration: String
    private let reaper: ResourceReaper
    private let server = Mutex<ChildProcess?>(nil)

    /// Prepares a server on a free port; it does not run yet.
    package init(extraConfiguration: String = "") throws {
        port = UInt16(try freePort())
        folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-nats-\(UUID().uuidString)")
        self.extraConfiguration = extraConfiguration
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        reaper = try ResourceReaper(
            folder: folder.path, stop: ["sh", "-c", "kill -9 $(cat '\(folder.path)/server.pid')"])
    }

    /// The server's client configuration, without credentials.
    package var configuration: NatsConfiguration {
        var configuration = NatsConfiguration(servers: ["nats://127.0.0.1:\(port)"])
        configuration.name = "tests"
        configuration.reconnectWait = .milliseconds(50)
        return configuration
    }

    /// The server's log since its first start.
    package var log: String {
        (try? String(contentsOf: folder.appending(path: "server.log"), encoding: .utf8)) ?? ""
    }

    /// Starts the server, on the same port and with the same store each time, and waits until it accepts connections.
    package func start() async throws {
        let text = """
            listen: "127.0.0.1:\(port)"
            log_file: "\(folder.path)/server.log"
            pid_file: "\(folder.path)/server.pid"
            jetstream { store_dir: "\(folder.path)/store", max_mem: 256MB, max_file: 2GB }
            \(extraConfiguration)
            """
        try text.write(to: folder.appending(path: "server.conf"), atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            "nats-server", ["-c", folder.appending(path: "server.conf").path], standardOutput: .discarded,
            standardError: .file(folder.appending(path: "server.log").path))
        server.withLock { $0 = child }
        for _ in 0..<6_000 {
            if isListening(at: port) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        let status = (try? String(contentsOfFile: "/proc/\(child.processID)/stat", encoding: .utf8)) ?? "it has ended"
        throw Unavailable(description: "nats-server did not start: \(log.suffix(2_000))\nits process: \(status)")
    }

    /// Ends it as an operator would; its store stays.
    package func stop() async { await server.withLock { $0.take() }?.terminate() }

    /// Sends SIGKILL; its store stays as it is.
    package func kill9() async { await server.withLock { $0.take() }?.kill9() }

    /// Stops its process, so that connections stay open and nothing is answered.
    package func pause() { server.withLock { $0 }?.signal(SIGSTOP) }

    /// Resumes a paused process.
    package func resume() { server.withLock { $0 }?.signal(SIGCONT) }

    /// Deletes everything JetStream has stored, while the server is stopped.
    package func deleteStore() throws {
        try FileManager.default.removeItem(at: folder.appending(path: "store"))
    }

    /// Copies the messages of every stream aside, while the server is stopped.
    package func copyMessages() throws {
        for stream in try streamFolders() {
            try FileManager.default.copyItem(
                at: stream.appending(path: "msgs"), to: stream.appending(path: "msgs-before"))
        }
    }

    /// Puts the copied messages back while the server is stopped, and leaves the consumers' places as they are: what a
    /// power cut may leave.
    package func restoreMessages() throws {
        for stream in try streamFolders() {
            try FileManager.default.removeItem(at: stream.appending(path: "msgs"))
            try FileManager.default.moveItem(
                at: stream.appending(path: "msgs-before"), to: stream.appending(path: "msgs"))
        }
    }

    private func streamFolders() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "store/jetstream/$G/streams"), includingPropertiesForKeys: nil)
    }
}

/// The broker that tests of one process share; each test chooses its own names of streams and subjects.
package enum TestNats {
    /// The server's client configuration; set while a test with the ``Testing/Trait/nats`` trait runs.
    @TaskLocal package static var current: NatsConfiguration?

    fileprivate static let shared = Task {
        let server = try PrivateNats()
        try await server.start()
        return server
    }

    /// The server's client configuration.
    /// - Throws: if the test lacks the trait.
    package static func configuration() throws -> NatsConfiguration {
        try #require(current, "the test needs the .nats trait")
    }
}

/// Gives a test, or each test of a suite, a running broker.
package struct NatsTrait: TestTrait, SuiteTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = try await TestNats.shared.value
        try await TestNats.$current.withValue(server.configuration) { try await function() }
    }
}

extension Trait where Self == NatsTrait {
    /// Runs against the process's own nats-server; see ``TestNats``.
    package static var nats: NatsTrait { NatsTrait() }
}

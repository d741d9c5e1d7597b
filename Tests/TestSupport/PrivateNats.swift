internal import Foundation
internal import Glibc
package import NatsClient
package import Testing

/// A nats-server of the test's own: JetStream on, loopback only, its files in a temporary folder.
///
/// A shell beside it ends the server and deletes the folder when the test process is gone, however it went.
package final class PrivateNats: Sendable {
    /// Why there is no server to test against.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    package let port: UInt16
    private let folder: URL
    /// Configuration text behind our own, such as accounts with permissions.
    private let extraConfiguration: String
    private let process = ProcessBox()

    private final class ProcessBox: @unchecked Sendable {
        private let lock = NSLock()
        private var watcher: Process?

        func replace(with new: Process?) -> Process? {
            lock.withLock {
                defer { watcher = new }
                return watcher
            }
        }
    }

    /// Prepares a server on a free port; it does not run yet.
    package init(extraConfiguration: String = "") throws {
        port = try Self.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-nats-\(UUID().uuidString)")
        self.extraConfiguration = extraConfiguration
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        kill9()
        try? FileManager.default.removeItem(at: folder)
    }

    /// How to reach it, without credentials.
    package var configuration: NatsConfiguration {
        var configuration = NatsConfiguration(servers: ["nats://127.0.0.1:\(port)"], name: "tests")
        configuration.reconnectWait = .milliseconds(50)
        return configuration
    }

    /// What the server has logged since it first started.
    package var log: String {
        (try? String(contentsOf: folder.appending(path: "server.log"), encoding: .utf8)) ?? ""
    }

    /// Starts it, on the same port and with the same store each time, and waits until it takes connections.
    package func start() async throws {
        let text = """
            listen: "127.0.0.1:\(port)"
            log_file: "\(folder.path)/server.log"
            jetstream { store_dir: "\(folder.path)/store", max_mem: 256MB, max_file: 2GB }
            \(extraConfiguration)
            """
        try text.write(to: folder.appending(path: "server.conf"), atomically: true, encoding: .utf8)
        let watcher = Process()
        watcher.executableURL = URL(filePath: "/bin/sh")
        watcher.arguments = ["-c", Self.script, "sh", String(getpid()), folder.path]
        watcher.standardOutput = FileHandle.nullDevice
        watcher.standardError = FileHandle.nullDevice
        try watcher.run()
        _ = process.replace(with: watcher)
        for _ in 0..<500 {
            if Self.accepts(port) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Unavailable(description: "nats-server did not start: \(log.suffix(2_000))")
    }

    /// Ends it as an operator would; its store stays.
    package func stop() { end(with: SIGTERM) }

    /// Ends it without a chance to tidy up; its store stays as it is.
    package func kill9() { end(with: SIGKILL) }

    /// Deletes everything JetStream has stored, while the server is stopped.
    package func deleteStore() throws {
        try FileManager.default.removeItem(at: folder.appending(path: "store"))
    }

    /// Runs the server; `$1` is the test process, `$2` the folder, which goes only when the test process went first.
    private static let script = """
        nats-server -c "$2/server.conf" & echo $! > "$2/server.pid"
        server=$!
        while kill -0 $server 2>/dev/null; do
            if ! kill -0 "$1" 2>/dev/null; then kill -9 $server; rm -rf "$2"; exit; fi
            sleep 0.1
        done
        """

    private func end(with signal: Int32) {
        guard let watcher = process.replace(with: nil) else { return }
        let text = try? String(contentsOf: folder.appending(path: "server.pid"), encoding: .utf8)
        if let server = text.flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
            kill(server, signal)
        }
        watcher.waitUntilExit()
    }

    private static func withSocket<Value>(_ port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>) -> Value) -> Value {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0) }
        }
    }

    /// Whether somebody listens there.
    package static func accepts(_ port: UInt16) -> Bool {
        withSocket(port) { connect($0, $1, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
    }

    private static func freePort() throws -> UInt16 {
        let port = withSocket(0) { descriptor, address -> UInt16 in
            var bound = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard bind(descriptor, address, length) == 0 else { return 0 }
            let status = withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return status == 0 ? UInt16(bigEndian: bound.sin_port) : 0
        }
        guard port != 0 else { throw Unavailable(description: "no free port") }
        return port
    }
}

/// The broker that tests of one process share; names of streams and subjects are each test's own business.
package enum TestNats {
    /// How to reach it; set while a test with the ``Testing/Trait/nats`` trait runs.
    @TaskLocal package static var current: NatsConfiguration?

    fileprivate static let shared = Task {
        let server = try PrivateNats()
        try await server.start()
        return server
    }

    /// How to reach it.
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

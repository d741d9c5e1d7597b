import Foundation
import Glibc
package import PostgresClient

/// A private Postgres server: loopback, free port, stopped when this process ends, however it ends.
///
/// Acknowledged data survives SIGKILL but not a power cut: fsync is off.
/// Needs `initdb` and `pg_ctl`. A server must not run as root, so root runs it as `postgres` or `nobody`.
package actor PrivatePostgres {
    /// The failed command, with its output.
    package struct ServerError: Error, CustomStringConvertible {
        package let description: String
    }

    package nonisolated let port: Int
    private let folder: String
    private let tools: PostgresTools
    /// The server's parameters, beside those of every private server.
    private let settings: [String: String]
    private let reaper: ResourceReaper

    /// Creates a cluster and starts it.
    package static func start(settings: [String: String] = [:]) async throws -> PrivatePostgres {
        let tools = try await PostgresTools.find()
        let server = try PrivatePostgres(tools, settings: settings)
        try await tools.run(
            "initdb", ["-D", server.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        try await server.restart()
        return server
    }

    /// A server on a free port, with a folder of its own and no cluster yet.
    private init(_ tools: PostgresTools, settings: [String: String] = [:]) throws {
        self.tools = tools
        self.settings = settings
        port = try freePort()
        folder = try tools.makeFolder()
        let stop = tools.command("pg_ctl", ["-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
        reaper = try ResourceReaper(folder: folder, stop: stop)
    }

    private nonisolated var data: String { "\(folder)/data" }

    /// The server's configuration, as its superuser.
    package nonisolated var configuration: PostgresConfiguration {
        var configuration = PostgresConfiguration()
        configuration.port = port
        return configuration
    }

    /// Starts the stopped or killed server again on the same port, and returns when it accepts connections.
    package func restart() async throws {
        let common = [
            "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "full_page_writes": "off",
            "max_connections": "1000", "shared_buffers": "64MB", "autovacuum": "off",
            "wal_retrieve_retry_interval": "100ms",
        ]
        let options = common.merging(settings) { $1 }.map { "-c \($0.key)='\($0.value)'" }.joined(separator: " ")
        var attempt = 1
        while true {
            do {
                return try await tools.run(
                    "pg_ctl",
                    ["-D", data, "-l", "\(folder)/log", "-w", "-t", "60", "-o", "-p \(port) \(options)", "start"])
            } catch  where attempt < 50 {
                // After a kill the orphaned backends hold the shared memory until they notice.
                attempt += 1
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Makes a streaming standby of this server, which has every change before it is acknowledged, and starts it.
    package func startStandby() async throws -> PrivatePostgres {
        let standby = try PrivatePostgres(tools)
        try await standby.follow(self)
        return standby
    }

    /// Makes this stopped server a standby of another, deletes its data, and starts it.
    ///
    /// The other acknowledges no commit from then on that this one lacks.
    package func follow(_ primary: PrivatePostgres) async throws {
        try? FileManager.default.removeItem(atPath: data)
        try await tools.run(
            "pg_basebackup",
            [
                "-h", "127.0.0.1", "-p", "\(primary.port)", "-U", "postgres", "-D", data, "-R", "-X", "stream",
                "-c", "fast", "--no-sync",
            ])
        try await restart()
        try await primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try await primary.execute("SELECT pg_reload_conf()")
    }

    /// Promotes a standby, and returns when it accepts writes.
    package func promote() async throws {
        // The promoted server must not wait for a synchronous standby.
        try await tools.run("pg_ctl", ["-D", data, "-w", "-t", "60", "promote"])
        try await execute("ALTER SYSTEM RESET synchronous_standby_names")
        try await execute("SELECT pg_reload_conf()")
    }

    /// Runs a statement with psql as the superuser of the server.
    package func execute(_ statement: String) async throws {
        try await psql(["-c", statement], statement)
    }

    /// Runs a script of SQL with psql as its superuser.
    ///
    /// - Parameter variables: psql's, by name.
    package func run(script path: String, variables: [String: String] = [:]) async throws {
        let settings = variables.sorted { $0.key < $1.key }.flatMap { ["-v", "\($0.key)=\($0.value)"] }
        try await psql(settings + ["-f", path], path)
    }

    private func psql(_ arguments: [String], _ what: String) async throws {
        let connection = ["-h", "127.0.0.1", "-p", "\(port)", "-U", "postgres", "-d", "postgres"]
        let (exit, output) = try await ChildProcess.run(
            "\(tools.binaries)/psql", ["-qX", "-v", "ON_ERROR_STOP=1"] + connection + arguments)
        guard exit == .code(0) else { throw ServerError(description: "\(what): \(exit) \(output)") }
    }

    /// Stops the server as an administrator would; clients get an error.
    package func stop() async throws { try await tools.run("pg_ctl", ["-D", data, "-m", "fast", "-w", "stop"]) }

    /// Stops the server without giving its sessions the time to end; it recovers at its next start.
    package func stopImmediately() async throws {
        try await tools.run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"])
    }

    /// Kills the postmaster alone, and returns when it is gone; its sessions end when they notice.
    package func killPostmaster() async throws {
        let processID = try postmaster()
        kill(processID, SIGKILL)
        while Self.runs(processID) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Ends the server as a power cut would, and returns when all its processes are gone.
    package func kill9() async throws {
        let processID = try postmaster()
        // Stopped first, so that it forks no more sessions; its sessions would outlive it for a while.
        kill(processID, SIGSTOP)
        let children = try String(contentsOfFile: "/proc/\(processID)/task/\(processID)/children", encoding: .utf8)
        let processIDs = [processID] + children.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
        for one in processIDs { kill(one, SIGKILL) }
        // Not our children, so they cannot be waited for.
        while processIDs.contains(where: Self.runs) { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func postmaster() throws -> pid_t {
        let file = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
        guard let processID = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw ServerError(description: "postmaster.pid has no process id")
        }
        return processID
    }

    /// Whether the process runs; a zombie does not.
    private static func runs(_ processID: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8) else { return false }
        return text.split(separator: ") ").last?.first != "Z"
    }
}

import Foundation
import Glibc
import PostgresClient
import TestSupport
import Testing

/// Debian's PgBouncer between a pool and its server.
@Suite(
    "Behind PgBouncer", .tags(.integration), .timeLimit(.minutes(5)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: PrivatePgBouncer.executable)))
struct PoolerTests {
    @Test(
        "A session that has not the settings which it was begun with is not taken into the pool, and the reason names the fix",
        arguments: ["transaction", "session"])
    func refused(mode: String) async throws {
        let server = try await PrivatePostgres.start()
        let pooler = try await PrivatePgBouncer.start(to: server, mode: mode)
        var configuration = server.configuration
        configuration.port = pooler.port
        configuration.acquireTimeout = .seconds(30)
        let pool = PostgresPool(configuration, logger: .silent)
        let error = await #expect(throws: PostgresError.self) { try await pool.check() }
        #expect(error?.isOutage == true)
        #expect(error?.message.contains("connect to Postgres itself, not through a pooler such as PgBouncer") == true)
        #expect(!pool.isReady)
        await pool.shutDown()
        await pooler.stop()
    }
}

/// A PgBouncer on a free port of loopback, told to accept settings and to drop them.
private struct PrivatePgBouncer {
    static let executable = "/usr/sbin/pgbouncer"

    let port: Int
    private let process: ChildProcess
    private let folder: String
    /// Ends it with this process, however that ends.
    private let reaper: ResourceReaper

    static func start(to server: PrivatePostgres, mode: String) async throws -> PrivatePgBouncer {
        let port = try freePort()
        let folder = FileManager.default.temporaryDirectory.appending(path: "pgbouncer-\(UUID().uuidString)").path
        let readable: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: readable)
        let settings = """
            [databases]
            * = host=127.0.0.1 port=\(server.port)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = trust
            auth_file = \(folder)/users
            pool_mode = \(mode)
            ignore_startup_parameters = options, extra_float_digits
            """
        try Data(settings.utf8).write(to: URL(filePath: "\(folder)/pgbouncer.ini"))
        try Data("\"postgres\" \"\"\n".utf8).write(to: URL(filePath: "\(folder)/users"))
        // It refuses to run as root.
        let user = getuid() == 0 ? ["-u", "nobody"] : []
        let process = try ChildProcess(
            executable, ["-q"] + user + ["\(folder)/pgbouncer.ini"], standardOutput: .discarded,
            standardError: .file("\(folder)/log"))
        let reaper = try ResourceReaper(folder: folder, stop: ["kill", "\(process.processID)"])
        while !isListening(at: UInt16(port)) { try await Task.sleep(for: .milliseconds(10)) }
        return PrivatePgBouncer(port: port, process: process, folder: folder, reaper: reaper)
    }

    func stop() async { await process.terminate() }
}

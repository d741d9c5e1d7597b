import Foundation
import Glibc
import PostgresClient
import SimulationSupport
import TestSupport

/// Faults inside of a running database server, through a session of its superuser that no proxy is before.
///
/// Each is without effect where the server is away at that moment.
struct DatabaseFaults: Sendable {
    /// Of whichever server takes writes.
    let pool: PostgresPool
    private let servers: DatabaseServers

    init(_ stack: ProxiedStack) {
        servers = DatabaseServers(primary: stack.processes.postgres, standby: stack.processes.standby)
        var configuration = stack.processes.postgres.configuration
        configuration.furtherServers = stack.processes.standby.map { [.init(host: "127.0.0.1", port: $0.port)] } ?? []
        configuration.acquireTimeout = .seconds(5)
        pool = PostgresPool(configuration, logger: .silent)
    }

    private static let roles = ServiceName.allCases.map(\.role)

    /// Tables that requests, consumers or the dispatcher need.
    private static let tables = [
        "orders.deliveries", "orders.timeline", "orders.outbox", "orders.timers", "courier_eta.deliveries",
        "courier_eta.fixes", "courier_eta.outbox", "activity_dispatch.activities", "activity_dispatch.devices",
        "activity_dispatch.cards", "activity_dispatch.device_events", "activity_dispatch.outbox", "partners.deliveries",
        "partners.receipts", "partners.event_deliveries", "partners.endpoints", "partners.outbox", "desk.sessions",
    ]

    /// The server that takes writes.
    var primary: PrivatePostgres { get async { await servers.primary } }

    /// Kills the primary and promotes its standby after so long.
    ///
    /// - Parameter promoted: called then; the former primary becomes a standby when it returns.
    func switchOver(after seconds: Double, promoted: () async throws -> Void) async throws {
        // What a commit that gave up waiting for the standby has written is there too.
        try await eventually("the standby has everything", within: 60) {
            // Another fault may have ended the session of this query.
            let standbys = try? await pool.query(
                "SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'")
            return standbys?.isEmpty == false
        }
        try await servers.killPrimary()
        try await Task.sleep(for: .seconds(seconds))
        try await servers.promote()
        try await promoted()
        try await servers.followAgain()
    }

    func terminateSessions() async throws {
        _ = try? await pool.query(
            "SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity WHERE usename = ANY(\(Self.roles))")
    }

    func cancelStatements() async throws {
        _ = try? await pool.query(
            "SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity WHERE usename = ANY(\(Self.roles))")
    }

    /// Kills a session, for which the server ends all others too.
    func killSession(_ choice: Int) async throws {
        guard let session = await session(choice) else { return }
        kill(session, SIGKILL)
    }

    func suspendSession(_ choice: Int, for seconds: Double) async throws {
        guard let session = await session(choice) else { return }
        kill(session, SIGSTOP)
        try await Task.sleep(for: .seconds(seconds))
        kill(session, SIGCONT)
    }

    func lockTable(_ choice: Int, for seconds: Double) async throws {
        let table = Self.tables[choice % Self.tables.count]
        try? await pool.withTransaction { transaction in
            try await transaction.execute(SQL(raw: "LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE"))
            try await Task.sleep(for: .seconds(seconds))
        }
    }

    /// The process of one of the services' sessions.
    private func session(_ choice: Int) async -> pid_t? {
        let rows = try? await pool.query(
            "SELECT pid FROM pg_stat_activity WHERE usename = ANY(\(Self.roles)) ORDER BY pid")
        guard let rows, !rows.isEmpty else { return nil }
        return (try? rows[choice % rows.count].decode("pid", as: Int.self)).map { pid_t($0) }
    }
}

/// A primary and its standby, which change places.
private actor DatabaseServers {
    private(set) var primary: PrivatePostgres
    private var standby: PrivatePostgres?

    init(primary: PrivatePostgres, standby: PrivatePostgres?) {
        self.primary = primary
        self.standby = standby
    }

    func killPrimary() async throws { try await primary.kill9() }

    func promote() async throws {
        guard let standby else { preconditionFailure("a stack whose plan has a switch-over has a standby") }
        try await standby.promote()
        (primary, self.standby) = (standby, primary)
    }

    /// Makes the former primary a standby of the present one.
    func followAgain() async throws { try await standby?.follow(primary) }
}

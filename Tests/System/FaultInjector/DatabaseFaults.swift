import Foundation
import Glibc
import Logging
import PostgresClient
import SimulationSupport
import TestSupport

/// Faults inside of a running database server, through a session of its superuser that no proxy is before.
///
/// Each is without effect where the server is away at that moment.
struct DatabaseFaults: Sendable {
    let pool: PostgresPool

    init(_ stack: ProxiedStack) {
        var configuration = stack.processes.postgres.configuration
        configuration.acquireTimeout = .seconds(5)
        var logger = Logger(label: "database")
        logger.logLevel = .critical
        pool = PostgresPool(configuration, logger: logger)
    }

    private static let roles = ServiceName.allCases.map(\.role)

    /// Tables that requests, consumers or the dispatcher need.
    private static let tables = [
        "orders.deliveries", "orders.timeline", "orders.outbox", "orders.timers", "courier_eta.deliveries",
        "courier_eta.fixes", "courier_eta.outbox", "activity_dispatch.activities", "activity_dispatch.devices",
        "activity_dispatch.cards", "activity_dispatch.device_events", "activity_dispatch.outbox", "partners.deliveries",
        "partners.receipts", "partners.event_deliveries", "partners.endpoints", "partners.outbox", "desk.sessions",
    ]

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

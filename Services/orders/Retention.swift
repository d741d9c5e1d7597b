import BackgroundWork
import Logging
import PostgresClient
import ServiceLifecycle

/// Forgets what has been kept long enough: stories 30 days, answers 48 hours, presses 30 days.
struct Retention: Service {
    static let interval = Duration.seconds(3600)

    let pool: PostgresPool
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, logger: logger) { try await forget() }.run()
    }

    func forget() async throws {
        // Wall time: rows are kept for people and auditors, who do not live by a demo's clock.
        try await pool.execute(
            "DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => \(IdempotentAnswers.keptHours)::integer)"
        )
        try await pool.execute("DELETE FROM link_presses WHERE pressed_at < now() - interval '30 days'")
        try await pool.execute("DELETE FROM timeline WHERE recorded_at < now() - interval '30 days'")
    }
}

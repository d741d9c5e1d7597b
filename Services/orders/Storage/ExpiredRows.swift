import PostgresClient

/// Deletes the rows whose retention has passed.
enum ExpiredRows {
    /// By wall time: these rows are kept for people and auditors, whose time is not a demo's domain time.
    static func delete(on database: some PostgresExecutor) async throws {
        try await database.execute(
            "DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => \(IdempotencyKeys.retentionHours)::integer)"
        )
        try await database.execute("DELETE FROM link_presses WHERE pressed_at < now() - interval '30 days'")
        try await database.execute("DELETE FROM timeline WHERE recorded_at < now() - interval '30 days'")
    }
}

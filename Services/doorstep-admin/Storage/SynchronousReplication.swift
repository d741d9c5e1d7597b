import PostgresClient

/// The synchronous replication of the server that a stack writes to.
struct SynchronousReplication: Sendable {
    let pool: PostgresPool

    /// The value of `synchronous_standby_names` where too few standbys confirm commits, so that each commit waits.
    ///
    /// Nil where enough do, where none is asked for or commits wait for none, and where the role may not see which:
    /// without `pg_monitor` the `sync_state` of a standby is NULL.
    func namesWithoutStandby() async throws -> String? {
        let rows = try await pool.query(
            """
            SELECT current_setting('synchronous_standby_names') AS names,
                count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) AS confirming
            FROM pg_stat_replication
            HAVING current_setting('synchronous_standby_names') <> ''
                AND current_setting('synchronous_commit') NOT IN ('off', 'local')
                AND count(*) FILTER (WHERE sync_state IS NULL) = 0
            """)
        guard let row = rows.first else { return nil }
        let names = try row.decode("names", as: String.self)
        return try row.decode("confirming", as: Int.self) < Self.standbys(demandedBy: names) ? names : nil
    }

    /// How many standbys confirm each commit, by a value of `synchronous_standby_names`.
    ///
    /// - Source: PostgreSQL's documentation: `[FIRST] n (name, …)`, `ANY n (name, …)`, or names alone for one.
    static func standbys(demandedBy names: String) -> Int {
        let number = names.prefixMatch(of: #/\s*(?:(?:first|any)\s+)?(\d+)\s*\(/#.ignoresCase())?.output.1
        return number.flatMap { Int($0) } ?? 1
    }
}

package import PostgresClient

/// The foreign keys of the current schema whose referencing column begins no index: deleting a referenced row scans the
/// table.
package func referencesWithoutIndex(_ pool: PostgresPool) async throws -> [String] {
    let rows = try await pool.query(
        """
        SELECT conname AS name FROM pg_constraint
        WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace
            AND NOT EXISTS (SELECT FROM pg_index
                WHERE indrelid = conrelid AND indkey[0] = conkey[1] AND indpred IS NULL)
        ORDER BY conname
        """)
    return try rows.map { try $0.decode("name") }
}

package import PostgresClient

/// The tables of the connection's schema that have a text in any row, in any case, whatever the column: also inside
/// documents and bytes.
///
/// - Throws: `PostgresError`.
package func tablesWith(_ text: String, on pool: PostgresPool) async throws -> [String] {
    let tables = try await pool.query(
        """
        SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1
        """
    ).map { try $0.decode("name", as: String.self) }
    var found: [String] = []
    for table in tables {
        let rows = try await pool.query(
            """
            SELECT count(*) AS count FROM \(raw: table) AS kept
            WHERE strpos(lower(kept::text), lower(\(text))) > 0
                OR strpos(kept::text, encode(convert_to(\(text), 'UTF8'), 'hex')) > 0
            """)
        if try rows[0].decode("count", as: Int.self) > 0 { found.append(table) }
    }
    return found
}

/// The rows of tables with a text, as Postgres writes them, sorted.
///
/// - Throws: `PostgresError`.
package func rowsWith(_ text: String, in tables: [String], on pool: PostgresPool) async throws -> [String] {
    var found: [String] = []
    for table in tables {
        found += try await pool.query(
            "SELECT kept::text AS row FROM \(raw: table) AS kept WHERE strpos(kept::text, \(text)) > 0 ORDER BY 1"
        ).map { "\(table) \(try $0.decode("row", as: String.self))" }
    }
    return found
}

/// The tables of the connection's schema that have a column of a name.
///
/// - Throws: `PostgresError`.
package func tablesWith(column: String, on pool: PostgresPool) async throws -> Set<String> {
    let tables = try await pool.query(
        """
        SELECT table_name::text AS name FROM information_schema.columns JOIN information_schema.tables
            USING (table_schema, table_name)
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND column_name = \(column)
        """)
    return Set(try tables.map { try $0.decode("name", as: String.self) })
}

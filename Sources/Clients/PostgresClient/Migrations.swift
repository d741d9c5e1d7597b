internal import FlowControl
internal import Logging
internal import TextCoding

/// One step of a schema, applied once, in order, and never edited afterwards.
public struct Migration: Hashable, Sendable {
    /// The migration's position; each number exists once.
    public let number: Int
    public let name: String
    /// Any number of statements, none of which begins or ends a transaction.
    public let sql: String
    /// Detects that the text was edited, by accident and not by an attacker.
    ///
    /// FNV-1a, 64 bits, as 16 hex digits.
    public let checksum: String

    public init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        checksum = Hexadecimal.encode(hash)
    }

    /// - Parameter bytes: the statements, in UTF-8.
    public init(_ number: Int, _ name: String, _ bytes: [UInt8]) {
        self.init(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads number and name from a file's name, `0001_orders.sql`.
    ///
    /// - Throws: ``PostgresError/Code/migration`` for a file named otherwise.
    public init(file: String, bytes: [UInt8]) throws(PostgresError) {
        let parts = file.split(separator: "_", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]), parts[1].hasSuffix(".sql") else {
            throw PostgresError(.migration, "a migration is named like 0001_orders.sql, not \(file)")
        }
        self.init(number, String(parts[1].dropLast(4)), bytes)
    }
}

/// Migrates a schema to the newest version and returns the applied migrations.
///
/// Any number of processes may call it concurrently; each migration and its entry in `schema_migrations` are one
/// transaction.
/// The schema is created when it is missing. Each migration runs with the schema as its only search path.
/// A migration waits two seconds for a lock, since every other session waits behind it meanwhile: then it is rolled back
/// and repeated after a pause, without limit, and the log names who holds locks.
/// - Throws: ``PostgresError/Code/migration``, before any change, when an applied migration was edited since, is
///   unknown to this code, or follows one that is yet to be applied; else the server's error.
@discardableResult
public func migrate(
    _ migrations: [Migration], schema: String, on pool: PostgresPool
) async throws -> [Migration] {
    var applied: [Migration] = []
    // One transaction each: the lock is the transaction's, so a process that dies never leaves it behind.
    while let next = try await applyNext(of: migrations, schema: schema, on: pool) { applied.append(next) }
    return applied
}

/// The migrations yet to be applied; a service is ready when there are none.
///
/// Applied migrations newer than this code's are ignored: migrations only add, and a roll-out applies the new version's
/// migrations before it replaces the old version's processes.
/// - Throws: ``PostgresError/Code/migration`` when an applied migration was edited since, is unknown to this code
///   though older than its newest, or follows one that is yet to be applied; else the server's error.
public func pendingMigrations(
    _ migrations: [Migration], schema: String, on executor: some PostgresExecutor
) async throws -> [Migration] {
    let table = "\(SQL.identifier(schema).text).schema_migrations"
    let exists = try await executor.query("SELECT to_regclass(\(table)) IS NOT NULL AS exists")
    guard try exists[0].decode("exists", as: Bool.self) else { return try pending(of: migrations, applied: []) }
    let rows = try await executor.query("SELECT number, name, checksum FROM \(raw: table) ORDER BY number")
    let newest = migrations.map(\.number).max() ?? 0
    return try pending(of: migrations, applied: rows.map(AppliedMigration.init).filter { $0.number <= newest })
}

/// An entry of `schema_migrations`.
struct AppliedMigration {
    var number: Int
    var name: String
    var checksum: String
}

extension AppliedMigration {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            number: try row.decode("number"), name: try row.decode("name"), checksum: try row.decode("checksum"))
    }
}

/// Compares the code's migrations with the database's.
func pending(of migrations: [Migration], applied: [AppliedMigration]) throws(PostgresError) -> [Migration] {
    let ordered = migrations.sorted { $0.number < $1.number }
    for (former, latter) in zip(ordered, ordered.dropFirst()) where former.number == latter.number {
        throw PostgresError(.migration, "\(former.name) and \(latter.name) both have number \(former.number)")
    }
    var pending: [Migration] = []
    var rest = applied[...]
    for migration in ordered {
        guard let entry = rest.first, entry.number <= migration.number else {
            if let later = rest.first {
                throw PostgresError(
                    .migration,
                    "migration \(migration.number) (\(migration.name)) is not applied but \(later.number) is; "
                        + "give it a number above all that are applied")
            }
            pending.append(migration)
            continue
        }
        guard entry.number == migration.number else { throw unknown(entry) }
        guard entry.checksum == migration.checksum else {
            throw PostgresError(
                .migration,
                "migration \(entry.number) (\(entry.name)) was edited after it had been applied; "
                    + "restore it and add another instead")
        }
        rest.removeFirst()
    }
    if let entry = rest.first { throw unknown(entry) }
    return pending
}

private func unknown(_ entry: AppliedMigration) -> PostgresError {
    PostgresError(
        .migration,
        "the database has migration \(entry.number) (\(entry.name)), which this program does not know; "
            + "run a newer program or restore an older database")
}

/// The pauses in which others use a table for which a migration has waited.
private let lockRetry = BackOff(first: .seconds(2), longest: .seconds(16))

private func applyNext(
    of migrations: [Migration], schema: String, on pool: PostgresPool
) async throws -> Migration? {
    var failures = 0
    while true {
        do {
            return try await applyNextOnce(of: migrations, schema: schema, on: pool)
        } catch let error as PostgresError where error.isLockTimeout || error.isSerializationFailure {
            failures += 1
            // The names are for the log alone.
            let holders = (try? await lockHolders(in: schema, on: pool)) ?? []
            pool.logger.warning(
                """
                A migration waits for a lock and is repeated; wait for the end of another migration, or end other work \
                that holds the lock
                """,
                metadata: [
                    "schema": "\(schema)", "reason": "\(error.message)",
                    "holders": "\(holders.joined(separator: "; "))",
                ])
            try await Task.sleep(for: lockRetry.delay(failures: failures))
        }
    }
}

/// The sessions that have held locks on the schema's tables for two seconds, the oldest first.
private func lockHolders(in schema: String, on pool: PostgresPool) async throws -> [String] {
    // When a transaction began is hidden where it is another role's.
    let rows = try await pool.query(
        """
        SELECT format('process %s of %s (%s) on %s', locks.pid, coalesce(sessions.usename, 'the server'),
            sessions.application_name, string_agg(DISTINCT pg_class.relname::text, ', ')) AS holder
        FROM pg_locks AS locks
        JOIN pg_class ON pg_class.oid = locks.relation
        JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
        LEFT JOIN pg_stat_activity AS sessions ON sessions.pid = locks.pid
        WHERE locks.granted AND locks.pid <> pg_backend_pid()
            AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND pg_namespace.nspname = \(schema) AND pg_class.relkind IN ('r', 'p')
            AND coalesce(sessions.xact_start < clock_timestamp() - interval '2 s', true)
        GROUP BY locks.pid, sessions.usename, sessions.application_name, sessions.xact_start
        ORDER BY sessions.xact_start LIMIT 5
        """)
    return try rows.map { try $0.decode("holder") }
}

private func applyNextOnce(
    of migrations: [Migration], schema: String, on pool: PostgresPool
) async throws -> Migration? {
    try await pool.withTransaction { transaction in
        try await transaction.batch([
            // An index build may run longer than any request.
            "SET LOCAL statement_timeout = 0",
            "SET LOCAL lock_timeout = '2s'",
            // Another process that builds an index may hold it for hours, and is named in the log meanwhile.
            "SELECT pg_advisory_xact_lock(hashtextextended(\("migrations of \(schema)")::text, 0))",
        ])
        let pending = try await pendingMigrations(migrations, schema: schema, on: transaction)
        guard let next = pending.first else { return nil }
        let name = SQL.identifier(schema)
        // Asked first, because creating a schema needs a right that using one does not.
        if try await transaction.query("SELECT FROM pg_namespace WHERE nspname = \(schema)").isEmpty {
            try await transaction.execute("CREATE SCHEMA \(sql: name)")
        }
        try await transaction.batch([
            """
            CREATE TABLE IF NOT EXISTS \(sql: name).schema_migrations (
                number bigint PRIMARY KEY,
                name text NOT NULL,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            )
            """,
            "SET LOCAL search_path = \(sql: name)",
        ])
        do {
            try await transaction.executeScript(next.sql)
        } catch var error as PostgresError {
            error.message = "migration \(next.number) (\(next.name)): \(error.message)"
            throw error
        }
        try await transaction.execute(
            """
            INSERT INTO \(sql: name).schema_migrations (number, name, checksum)
            VALUES (\(next.number), \(next.name), \(next.checksum))
            """)
        return next
    }
}

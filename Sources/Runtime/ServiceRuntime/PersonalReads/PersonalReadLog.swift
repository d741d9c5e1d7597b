package import DoorstepAPI
package import Foundation
package import Messages
package import PostgresClient
package import ReliableMessaging

/// The table of who read personal data.
///
/// The rows only grow: a trigger refuses every change but more reads and ids, and the replacement of an id by another.
package struct PersonalReadLog: Sendable {
    /// Creates `personal_reads` in the schema of the connection.
    package static let migration = """
        -- Which operators and stores read personal data: a row for the reads of an object, or of a list, by one reader
        -- within an hour of domain time, in one process.
        CREATE TABLE personal_reads (
            personal_read_id uuid PRIMARY KEY,
            -- The first and the last read; domain time.
            read_at timestamptz NOT NULL,
            last_read_at timestamptz NOT NULL,
            role text NOT NULL CHECK (role IN ('operator', 'store')),
            reader text NOT NULL,
            -- The subject of the reader's token, which is part of the name.
            subject text NOT NULL,
            -- The only store of the reader's token.
            store_id text,
            operation text NOT NULL,
            kind text NOT NULL,
            customers text[] NOT NULL,
            deliveries text[] NOT NULL,
            couriers text[] NOT NULL,
            reads integer NOT NULL,
            -- Objects of all answers together.
            objects bigint NOT NULL,
            trace_id text,
            -- Wall time, by which rows expire.
            recorded_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE INDEX personal_reads_newest ON personal_reads (read_at DESC, personal_read_id DESC);
        CREATE INDEX personal_reads_by_age ON personal_reads (recorded_at);
        CREATE INDEX personal_reads_by_subject ON personal_reads (subject, read_at DESC, personal_read_id DESC);
        CREATE INDEX personal_reads_by_person ON personal_reads USING gin (customers, deliveries, couriers);

        -- A service's role may change no row but by more reads, and by another id for a person who is erased, and may
        -- delete none of the last 30 days.
        CREATE FUNCTION personal_reads_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                IF OLD.recorded_at > now() - interval '30 days' THEN
                    RAISE EXCEPTION 'reads of personal data are kept for 30 days at least';
                END IF;
                RETURN OLD;
            END IF;
            IF (OLD.personal_read_id, OLD.read_at, OLD.role, OLD.reader, OLD.subject, OLD.operation, OLD.kind,
                        OLD.recorded_at)
                    <> (NEW.personal_read_id, NEW.read_at, NEW.role, NEW.reader, NEW.subject, NEW.operation, NEW.kind,
                        NEW.recorded_at)
                OR OLD.store_id IS DISTINCT FROM NEW.store_id OR OLD.trace_id IS DISTINCT FROM NEW.trace_id
                OR NEW.last_read_at < OLD.last_read_at OR NEW.reads < OLD.reads OR NEW.objects < OLD.objects
                OR cardinality(NEW.customers) < cardinality(OLD.customers)
                OR cardinality(NEW.deliveries) < cardinality(OLD.deliveries)
                OR cardinality(NEW.couriers) < cardinality(OLD.couriers)
            THEN
                RAISE EXCEPTION 'a read of personal data is not changed';
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER personal_reads_only_grow BEFORE UPDATE OR DELETE ON personal_reads
            FOR EACH ROW EXECUTE FUNCTION personal_reads_only_grow();
        """

    /// Days that a read is kept, unless the setting `retention.readsDays` has another number.
    package static let readsDays = 365
    /// The days that the setting may have; the table refuses a shorter time.
    package static let readsDaysRange = 31...3_650
    /// Expired rows deleted by one transaction.
    private static let expiredMax = 5_000
    /// Rows in which one transaction replaces an id; one may have a thousand ids, each with its entry in the index.
    private static let replacedMax = 200
    /// The longest time that rows are waited for, and that the reads of one transaction are written.
    private static let lockTimeout = Duration.seconds(1)
    private static let addTimeout = Duration.seconds(2)
    /// A row is of reads within an hour, so a later read may be in a row that began an hour before.
    private static let rowSeconds: TimeInterval = 3_600
    /// Rows of a page.
    package static let pageMax = 50

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// A query of the log; each part that is set restricts it.
    package struct Filter: Sendable {
        package var customer: String?
        package var delivery: String?
        package var courier: String?
        /// A reader's recorded name, or the subject in it.
        package var reader: String?
        /// Domain time of the last read, or later.
        package var from: Date?
        /// Domain time of the first read, or earlier.
        package var until: Date?

        package init() {}
    }

    /// Reads that the filter leaves, newest first.
    ///
    /// - Parameter cursor: the id of the last row of the page before.
    /// - Throws: ``PostgresError``.
    package func list(_ filter: Filter, after cursor: UUID? = nil) async throws -> PersonalReadsBody {
        var sql: SQL = "SELECT * FROM personal_reads WHERE true"
        if let id = filter.customer { sql += " AND customers @> ARRAY[\(id)::text]" }
        if let id = filter.delivery { sql += " AND deliveries @> ARRAY[\(id)::text]" }
        if let id = filter.courier { sql += " AND couriers @> ARRAY[\(id)::text]" }
        if let name = filter.reader {
            sql += """
                 AND subject = ANY(\(Self.subjects(in: name))::text[]) AND (subject = \(name) OR reader = \(name))
                """
        }
        if let from = filter.from {
            sql += " AND last_read_at >= \(from) AND read_at >= \(from.addingTimeInterval(-Self.rowSeconds))"
        }
        if let until = filter.until { sql += " AND read_at <= \(until)" }
        if let cursor {
            sql += """
                 AND (read_at, personal_read_id) <
                    (SELECT read_at, personal_read_id FROM personal_reads WHERE personal_read_id = \(cursor))
                """
        }
        sql += " ORDER BY read_at DESC, personal_read_id DESC LIMIT \(Self.pageMax + 1)"
        let rows = try await pool.query(sql).map { try PersonalReadBody($0) }
        let page = Array(rows.prefix(Self.pageMax))
        return PersonalReadsBody(reads: page, next: rows.count > Self.pageMax ? page.last?.id : nil)
    }

    /// The subjects that a recorded name may have: itself, and what is in its parentheses.
    private static func subjects(in name: String) -> [String] {
        guard name.hasSuffix(")") else { return [name] }
        return [name]
            + name.indices.filter { name[$0...].hasPrefix(" (") }.map { String(name[$0...].dropFirst(2).dropLast()) }
    }

    /// Adds reads to the log; reads of a row that it has are added to the row.
    ///
    /// - Parameter entries: of different rows.
    /// - Throws: ``PostgresError``; then none is added.
    func add(_ entries: [PersonalReadEntry]) async throws {
        _ = try await pool.withTransaction(retriesMax: 3) { transaction in
            // The readers wait meanwhile.
            try await transaction.batch([
                """
                SELECT set_config('lock_timeout', \(Self.text(of: Self.lockTimeout)), true),
                    set_config('statement_timeout', \(Self.text(of: Self.addTimeout)), true)
                """,
                Self.adding(entries),
            ])
        }
    }

    private static func text(of timeout: Duration) -> String { "\(timeout.components.seconds)s" }

    private static func adding(_ entries: [PersonalReadEntry]) -> SQL {
        """
        INSERT INTO personal_reads (personal_read_id, read_at, last_read_at, role, reader, subject, store_id, operation,
            kind, customers, deliveries, couriers, reads, objects, trace_id)
        SELECT id, to_timestamp("readAt"), to_timestamp("lastReadAt"), role, reader, subject, store, operation, kind,
            customers, deliveries, couriers, reads, objects, "traceID"
        FROM jsonb_to_recordset(\(PostgresJSON(entries))) AS entry (id uuid, "readAt" double precision,
            "lastReadAt" double precision, role text, reader text, subject text, store text, operation text, kind text,
            customers text[], deliveries text[], couriers text[], reads integer, objects bigint, "traceID" text)
        ON CONFLICT (personal_read_id) DO UPDATE SET
            last_read_at = greatest(personal_reads.last_read_at, EXCLUDED.last_read_at),
            reads = personal_reads.reads + EXCLUDED.reads, objects = personal_reads.objects + EXCLUDED.objects,
            customers = CASE WHEN EXCLUDED.customers = '{}' THEN personal_reads.customers
                ELSE personal_reads.customers || ARRAY(SELECT unnest(EXCLUDED.customers)
                    EXCEPT SELECT unnest(personal_reads.customers)) END,
            deliveries = CASE WHEN EXCLUDED.deliveries = '{}' THEN personal_reads.deliveries
                ELSE personal_reads.deliveries || ARRAY(SELECT unnest(EXCLUDED.deliveries)
                    EXCEPT SELECT unnest(personal_reads.deliveries)) END,
            couriers = CASE WHEN EXCLUDED.couriers = '{}' THEN personal_reads.couriers
                ELSE personal_reads.couriers || ARRAY(SELECT unnest(EXCLUDED.couriers)
                    EXCEPT SELECT unnest(personal_reads.couriers)) END
        """
    }

    /// The persons whose ids a row has.
    package enum Person: Sendable {
        case customer, courier

        fileprivate var column: SQL {
            switch self {
            case .customer: "customers"
            case .courier: "couriers"
            }
        }
    }

    /// Replaces the id of a person who is erased; the reads stay.
    ///
    /// - Parameter until: the reads until then, domain time; nil for all. A row of one that went on is not replaced.
    /// - Returns: the number of rows, by the name of their table; replacing again finds none.
    /// - Throws: ``PostgresError``.
    package static func replace(
        _ person: Person, _ id: String, with pseudonym: String, until: Date? = nil, on pool: PostgresPool
    ) async throws -> [String: Int] {
        let column = person.column
        let isUntil: SQL = until.map { "AND last_read_at <= \($0)" } ?? ""
        let rows = try await pool.execute(
            inBatchesOf: replacedMax,
            """
            UPDATE personal_reads
            SET \(sql: column) = array_replace(\(sql: column), \(id)::text, \(pseudonym)::text)
            WHERE personal_read_id = ANY(ARRAY(SELECT personal_read_id FROM personal_reads
                WHERE \(sql: column) @> ARRAY[\(id)::text] \(sql: isUntil) LIMIT \(replacedMax)))
            """)
        return rows > 0 ? ["personal_reads": rows] : [:]
    }

    /// Erases a part of a request once, and replaces the person of the last part in the reads.
    ///
    /// They are replaced before the part's own transaction, which a year of rows would keep for too long; those that
    /// are recorded until its end are replaced after it.
    /// - Returns: the receipt, with the reads of before; a repeat has the same.
    /// - Throws: ``PostgresError``, or the error of `erase`; no row but of reads is erased then.
    package static func erasing(
        _ person: Person, of part: some ErasurePart, on pool: PostgresPool,
        _ erase: @Sendable (inout ErasedRows) async throws -> Void
    ) async throws -> ErasureReceipt {
        let reads = try await replace(person, of: part, on: pool)
        let receipt = try await ErasureParts.once(part, on: pool) { rows in
            rows.add(reads)
            try await erase(&rows)
        }
        _ = try await replace(person, of: part, on: pool)
        return receipt
    }

    private static func replace(
        _ person: Person, of part: some ErasurePart, on pool: PostgresPool
    ) async throws -> [String: Int] {
        guard part.isLast else { return [:] }
        return try await replace(
            person, part.personID, with: part.pseudonymID, until: part.readsUntil, on: pool)
    }

    /// Deletes reads of that many wall days ago, and older ones.
    ///
    /// - Throws: ``PostgresError``.
    package func deleteExpired(days: Int) async throws {
        try await pool.delete(
            from: "personal_reads", where: "recorded_at < now() - make_interval(days => \(days)::integer)",
            inBatchesOf: Self.expiredMax)
    }
}

/// Reads that are added to a row of the log.
struct PersonalReadEntry: Encodable, Sendable {
    let id: UUID
    /// Seconds since 1970, domain time.
    let readAt: Double
    let lastReadAt: Double
    let role: String
    let reader: String
    let subject: String
    let store: String?
    let operation: String
    let kind: PersonalDataKind
    /// The ids that the row does not have yet.
    let customers: [String]
    let deliveries: [String]
    let couriers: [String]
    let reads: Int
    let objects: Int
    let traceID: String?
}

extension PersonalReadBody {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.decode("personal_read_id", as: UUID.self).uuidString.lowercased(),
            at: try row.decode("read_at"), lastAt: try row.decode("last_read_at"), role: try row.decode("role"),
            by: try row.decode("reader"), store: try row.decode("store_id"), operation: try row.decode("operation"),
            kind: try row.decode("kind"), customers: try row.decode("customers"),
            deliveries: try row.decode("deliveries"), couriers: try row.decode("couriers"),
            reads: try row.decode("reads"), objects: try row.decode("objects"), traceID: try row.decode("trace_id"))
    }
}

internal import Foundation
package import Messages
package import PostgresClient

/// The parts of person requests that a service has erased: each is erased once, and its receipt repeated.
///
/// A receipt has numbers of rows and nothing of the person.
package enum ErasureParts {
    /// Creates `erasure_parts` in the schema of the connection.
    package static let migration = """
        -- The parts of person requests that this service has erased, with the rows of each by table. Wall time.
        CREATE TABLE erasure_parts (
            person_request_id uuid NOT NULL,
            part text NOT NULL,
            rows jsonb NOT NULL,
            recorded_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (person_request_id, part)
        );
        CREATE INDEX erasure_parts_by_age ON erasure_parts (recorded_at);
        """

    /// Wall days that a receipt is kept for a repeated request.
    package static let keptDays = 30
    /// Expired receipts deleted by one transaction.
    private static let expiredMax = 5_000

    /// Erases a part in one transaction, or returns the receipt of the earlier one.
    ///
    /// - Throws: ``PostgresError``, or the error of `erase`; nothing is erased then.
    package static func once(
        _ request: some ErasurePart, on pool: PostgresPool,
        _ erase: @Sendable (inout ErasedRows) async throws -> Void
    ) async throws -> ErasureReceipt {
        let counts = try await pool.withTransaction(retriesMax: 3) { transaction in
            // A concurrent repeat waits here, and finds the receipt.
            let isNew = try await transaction.execute(
                """
                INSERT INTO erasure_parts (person_request_id, part, rows)
                VALUES (\(request.request), \(request.part), '{}') ON CONFLICT DO NOTHING
                """)
            guard isNew > 0 else {
                return try await transaction.query(
                    """
                    SELECT rows FROM erasure_parts
                    WHERE person_request_id = \(request.request) AND part = \(request.part)
                    """
                ).first?.decodeJSON("rows", as: [String: Int].self) ?? [:]
            }
            var rows = ErasedRows(in: transaction)
            try await erase(&rows)
            try await transaction.execute(
                """
                UPDATE erasure_parts SET rows = \(PostgresJSON(rows.counts))
                WHERE person_request_id = \(request.request) AND part = \(request.part)
                """)
            return rows.counts
        }
        return ErasureReceipt(rows: counts)
    }

    /// Deletes receipts past their retention.
    /// - Returns: how many.
    /// - Throws: ``PostgresError``.
    package static func deleteExpired(on pool: PostgresPool) async throws -> Int {
        try await pool.delete(
            from: "erasure_parts", where: "recorded_at < now() - make_interval(days => \(keptDays)::integer)",
            inBatchesOf: expiredMax)
    }
}

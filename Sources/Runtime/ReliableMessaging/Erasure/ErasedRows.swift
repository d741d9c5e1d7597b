package import Foundation
package import Messages
package import PostgresClient

/// Erases rows in a transaction, and counts them by table.
package struct ErasedRows: Sendable {
    package let transaction: PostgresTransaction
    /// The erased or replaced rows by table; tables without any are missing.
    package private(set) var counts: [String: Int] = [:]

    package init(in transaction: PostgresTransaction) { self.transaction = transaction }

    /// Runs a statement that deletes or replaces rows of a table.
    /// - Throws: ``PostgresError``.
    package mutating func erase(_ table: String, _ statement: SQL) async throws {
        let rows = try await transaction.execute(statement)
        count(table, rows)
    }

    /// Counts rows of a table that were erased before the transaction.
    package mutating func count(_ table: String, _ rows: Int) {
        if rows > 0 { counts[table, default: 0] += rows }
    }

    /// Counts rows that other transactions have erased.
    package mutating func add(_ others: [String: Int]) { counts.merge(others, uniquingKeysWith: +) }

    /// Deletes timers and dead letters about objects.
    ///
    /// - Parameters:
    ///   - keys: ids with which the keys of timers begin, and those of timers that are dead letters.
    ///   - mentioned: texts that the payload of a dead letter has.
    /// - Throws: ``PostgresError``.
    package mutating func eraseCopies(keys: [String], mentioned: [String]) async throws {
        guard !keys.isEmpty || !mentioned.isEmpty else { return }
        try await erase("timers", "DELETE FROM timers WHERE split_part(key, '/', 1) = ANY(\(keys)::text[])")
        try await erase(
            "dead_letters",
            """
            DELETE FROM dead_letters WHERE split_part(message_id, '/', 1) = ANY(\(keys)::text[])
                OR EXISTS (SELECT FROM unnest(\(mentioned)::text[]) AS known (text)
                    WHERE position(convert_to(known.text, 'UTF8') IN payload) > 0)
            """)
    }

    /// Deletes dead letters whose payload has one of the texts, and timers among them whose key begins with `key`.
    ///
    /// - Parameter request: only those of before its first part here: later ones are of a new person; nil for all.
    /// - Throws: ``PostgresError``.
    package mutating func eraseDeadLetters(
        key: String, mentioning texts: [String], before request: UUID? = nil
    ) async throws {
        let isOlder: SQL =
            request.map {
                "occurred_at <= (SELECT min(recorded_at) FROM erasure_parts WHERE person_request_id = \($0)) AND"
            } ?? ""
        try await erase(
            "dead_letters",
            """
            DELETE FROM dead_letters WHERE \(sql: isOlder)
                (split_part(split_part(message_id, '/', 1), ' ', 1) = \(key)
                    OR EXISTS (SELECT FROM unnest(\(texts)::text[]) AS known (text)
                        WHERE position(convert_to(known.text, 'UTF8') IN payload) > 0))
            """)
    }

    /// Deletes dead letters about a courier, but for those of a new courier with the id.
    ///
    /// - Throws: ``PostgresError``.
    package mutating func eraseDeadLetters(of request: CourierErasureRequest) async throws {
        try await eraseDeadLetters(
            key: request.personID, mentioning: request.mentions,
            before: request.keepsCourier ? request.request : nil)
    }
}

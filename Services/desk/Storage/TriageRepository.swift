import Foundation
import OrderDomain
import PostgresClient

/// The SQL of operators' data about deliveries.
enum TriageRepository {
    static func triage(
        of deliveries: [DeliveryID], on database: some PostgresExecutor
    ) async throws -> [DeliveryID: Triage] {
        let rows = try await database.query(
            """
            SELECT delivery_id, owner, owner_text, snoozed_until, note, changed_by, changed_at, version FROM triage
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
            """)
        return try Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                guard let id = DeliveryID(rawValue: try row.decode("delivery_id")) else { return nil }
                return (id, try triage(row))
            })
    }

    /// Stores a triage over the version that the operator saw.
    ///
    /// - Returns: nil where another operator changed it meanwhile.
    static func set(
        _ triage: Triage, of delivery: DeliveryID, inPlaceOf version: Int, on database: some PostgresExecutor
    ) async throws -> Triage? {
        let rows =
            version == 0
            ? try await database.query(
                """
                INSERT INTO triage
                    (delivery_id, owner, owner_text, snoozed_until, note, changed_by, changed_at, version)
                VALUES (\(delivery.rawValue), \(triage.owner?.subject), \(triage.owner?.text),
                    \(triage.snoozedUntil), \(triage.note),
                    \(triage.changedBy), \(triage.changedAt), 1)
                ON CONFLICT (delivery_id) DO NOTHING
                RETURNING owner, owner_text, snoozed_until, note, changed_by, changed_at, version
                """)
            : try await database.query(
                """
                UPDATE triage SET owner = \(triage.owner?.subject), owner_text = \(triage.owner?.text), snoozed_until = \(triage.snoozedUntil),
                    note = \(triage.note), changed_by = \(triage.changedBy), changed_at = \(triage.changedAt),
                    version = version + 1
                WHERE delivery_id = \(delivery.rawValue) AND version = \(version)
                RETURNING owner, owner_text, snoozed_until, note, changed_by, changed_at, version
                """)
        return try rows.first.map(Self.triage)
    }

    static func delete(of deliveries: [DeliveryID]) -> SQL {
        "DELETE FROM triage WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])"
    }

    /// The notes of deliveries, which stay as they are until the transaction ends.
    static func lockedNotes(
        of deliveries: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [String: String] {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, note FROM triage WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
            ORDER BY delivery_id FOR NO KEY UPDATE
            """)
        return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.decode("delivery_id"), try $0.decode("note")) })
    }

    /// Replaces the notes of deliveries; the operators' versions of them stay.
    static func set(notes: [String: String]) -> SQL {
        let notes = notes.sorted { $0.key < $1.key }
        return """
            UPDATE triage SET note = new.note
            FROM unnest(\(notes.map(\.key))::text[], \(notes.map(\.value))::text[]) AS new (delivery_id, note)
            WHERE triage.delivery_id = new.delivery_id
            """
    }

    static func delete(changedBefore date: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.delete(from: "triage", where: "changed_at < \(date)", inBatchesOf: rowsMax)
    }

    private static func triage(_ row: PostgresRow) throws -> Triage {
        let owner: String? = try row.decode("owner")
        let ownerText: String? = try row.decode("owner_text")
        return Triage(
            owner: owner.map { Triage.Owner(subject: $0, text: ownerText) },
            snoozedUntil: try row.decode("snoozed_until"),
            note: try row.decode("note"), changedBy: try row.decode("changed_by"),
            changedAt: try row.decode("changed_at"), version: try row.decode("version"))
    }
}

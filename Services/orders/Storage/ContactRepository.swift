import Foundation
import OrderDomain
import PostgresClient

/// The SQL of people's numbers, and of the timelines' entries about who read them, or saw an image of a hand-over.
enum ContactRepository {
    /// A number, or an image, of a delivery that a reader is given.
    struct Access: Sendable {
        let delivery: DeliveryID
        /// Such as `saw the customer's number`.
        let what: String
    }

    /// The deliveries with their recipients, in the order of their ids; unknown ones are omitted.
    static func records(
        of ids: [DeliveryID], opening box: PersonalDataBox, on database: some PostgresExecutor
    ) async throws -> [DeliveryRecord] {
        try await database.query(
            """
            SELECT \(sql: OrderRepository.recordColumns), drop_off FROM deliveries
            WHERE delivery_id = ANY(\(ids.map(\.rawValue))::text[]) ORDER BY delivery_id
            """
        ).map { try OrderRepository.recordWithDropOff($0, opening: box) }
    }

    /// Adds an entry for each access that no entry of this reader since `since` covers.
    static func record(
        _ accesses: [Access], by reader: String, at now: Date, since: Date, on pool: PostgresPool
    ) async throws {
        let unrecorded: SQL = """
            FROM unnest(\(accesses.map(\.delivery.rawValue))::text[],
                \(accesses.map(\.what))::text[]) AS given (delivery_id, what)
            JOIN deliveries ON deliveries.delivery_id = given.delivery_id
            WHERE NOT EXISTS (
                SELECT FROM timeline WHERE timeline.delivery_id = given.delivery_id
                    AND timeline.kind = \(TimelineEntry.contactKind) AND timeline.what = given.what
                    AND timeline.changed_by = \(reader) AND timeline.at > \(since))
            """
        guard try await !pool.query("SELECT 1 AS one \(sql: unrecorded) LIMIT 1").isEmpty else { return }
        try await pool.withTransaction { transaction in
            // Locked, so that the later of two requests sees the entry of the first.
            _ = try await OrderRepository.lockedDeliveries(accesses.map(\.delivery), opening: nil, in: transaction)
            try await transaction.execute(
                """
                INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by)
                SELECT given.delivery_id, \(now)::timestamptz, deliveries.version, \(TimelineEntry.contactKind)::text,
                    given.what, \(reader)::text \(sql: unrecorded)
                """)
        }
    }
}

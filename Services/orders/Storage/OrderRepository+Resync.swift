import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// What this service lacks of what others have published.
extension OrderRepository {
    static func lackingEstimates(_ revisions: [PublishedRevision], on database: some PostgresExecutor) async throws
        -> [Int]
    {
        try await database.places(
            in: revisions,
            lacking: """
                JOIN deliveries ON delivery_id = id
                WHERE estimate_version IS NULL
                    OR (estimate_version, estimate_step) < (published.version, published.step)
                """)
    }

    static func lackingCardHealth(
        _ revisions: [PublishedRevision], on database: some PostgresExecutor
    ) async throws -> [Int] {
        try await database.places(
            in: revisions,
            lacking: """
                JOIN deliveries ON delivery_id = id
                WHERE cards_sequence IS NULL OR cards_sequence < published.version
                """)
    }

    /// The places of the deliveries of which this service knows fewer reports of providers than there are.
    static func lackingReports(
        _ revisions: [PublishedRevision], on database: some PostgresExecutor
    ) async throws -> [Int] {
        try await database.places(
            in: revisions,
            lacking: """
                JOIN deliveries ON delivery_id = id
                WHERE published.version > (SELECT count(*) FROM timeline
                    WHERE timeline.delivery_id = published.id AND report_id IS NOT NULL)
                """)
    }
}

import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Other services' published objects that this service lacks.
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

    /// The reports that timelines contain already.
    static func known(_ reports: [ReportKey], in transaction: PostgresTransaction) async throws -> [ReportKey] {
        guard !reports.isEmpty else { return [] }
        return try await transaction.query(
            """
            SELECT timeline.delivery_id, timeline.source, timeline.report_id
            FROM unnest(\(reports.map(\.delivery.rawValue))::text[], \(reports.map(\.source.rawValue))::text[],
                \(reports.map(\.id))::text[]) AS report (delivery_id, source, report_id)
            JOIN timeline ON timeline.delivery_id = report.delivery_id AND timeline.source = report.source
                AND timeline.report_id = report.report_id
            """
        ).compactMap { row in
            guard let delivery = DeliveryID(rawValue: try row.decode("delivery_id")),
                let source = ProviderID(rawValue: try row.decode("source"))
            else { return nil }
            return ReportKey(delivery: delivery, source: source, id: try row.decode("report_id"))
        }
    }
}

import Foundation
import OrderDomain
import PostgresClient

/// The SQL of a delivery's former versions.
extension OrderRepository {
    /// The change of one version.
    struct VersionChange: Sendable {
        let version: Int
        let at: Date
        let kind: String
        let reversal: DeliveryReversal
    }

    /// The newest version of a delivery; nil where there is no such delivery.
    static func newest(_ id: DeliveryID, on database: some PostgresExecutor) async throws -> Delivery? {
        try await database.query("SELECT snapshot FROM deliveries WHERE delivery_id = \(id.rawValue)").first
            .map { try $0.decodeJSON("snapshot") }
    }

    /// The changes of a delivery's versions, newest first; versions without a stored change are omitted.
    static func changes(
        of id: DeliveryID, in versions: ClosedRange<Int>, on database: some PostgresExecutor
    ) async throws -> [VersionChange] {
        try await database.query(
            """
            SELECT version, at, kind, reversal FROM timeline WHERE delivery_id = \(id.rawValue)
                AND version BETWEEN \(versions.lowerBound) AND \(versions.upperBound) AND reversal IS NOT NULL
            ORDER BY version DESC
            """
        ).map { row in
            VersionChange(
                version: try row.decode("version"), at: try row.decode("at"), kind: try row.decode("kind"),
                reversal: try row.decodeJSON("reversal"))
        }
    }
}

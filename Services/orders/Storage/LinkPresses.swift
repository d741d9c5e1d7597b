import Foundation
import LiveActivity
import OrderDomain
import PostgresClient

/// The first response to each pressed link, by the link's SHA-256, since the link itself is a secret.
enum LinkPresses {
    /// The response that the link's first press got; nil for a link that was never pressed.
    static func response(to linkHash: [UInt8], on database: some PostgresExecutor) async throws -> StoredResponse? {
        try await database.query("SELECT status, body FROM link_presses WHERE link_hash = \(linkHash)").first
            .map(StoredResponse.init)
    }

    /// - Parameter now: domain time of the press.
    static func insert(
        _ response: StoredResponse, to linkHash: [UInt8], of delivery: DeliveryID, verb: Verb, at now: Date
    ) -> SQL {
        """
        INSERT INTO link_presses (link_hash, delivery_id, status, body, verb, at)
        VALUES (\(linkHash), \(delivery.rawValue), \(response.status), \([UInt8](response.body)), \(verb.rawValue), \(now))
        """
    }
}

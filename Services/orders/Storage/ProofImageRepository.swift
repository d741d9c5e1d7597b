import Foundation
import OrderDomain
import PostgresClient

/// The SQL of sealed photos and signatures.
enum ProofImageRepository {
    /// Images of a transaction that deletes some: each is as large as hundreds of other rows.
    static let expiredMax = 200

    struct SealedImage: Sendable {
        let format: ProofImage.Format
        let sealed: [UInt8]
    }

    /// Stores an image; the same of the same delivery is stored already.
    static func insert(_ image: SealedImage, hash: String, of delivery: DeliveryID) -> SQL {
        """
        INSERT INTO proof_images (delivery_id, content_hash, format, sealed)
        VALUES (\(delivery.rawValue), \(hash), \(image.format.rawValue), \(image.sealed))
        ON CONFLICT DO NOTHING
        """
    }

    /// Nil where there is none, or no more.
    static func image(
        _ hash: String, of delivery: DeliveryID, on database: some PostgresExecutor
    ) async throws -> SealedImage? {
        let row = try await database.query(
            """
            SELECT format, sealed FROM proof_images
            WHERE delivery_id = \(delivery.rawValue) AND content_hash = \(hash)
            """
        ).first
        guard let row, let format = ProofImage.Format(rawValue: try row.decode("format")) else { return nil }
        return SealedImage(format: format, sealed: try row.decode("sealed"))
    }

    /// Deletes the images of deliveries that ended before `end`.
    static func deleteExpired(endedBefore end: Date) -> SQL {
        """
        DELETE FROM proof_images WHERE (delivery_id, content_hash) IN (
            SELECT delivery_id, content_hash FROM proof_images JOIN deliveries USING (delivery_id)
            WHERE ended_at < \(end) LIMIT \(expiredMax))
        """
    }
}

import OrderDomain
import PostgresClient

/// The SQL of sealed photos and signatures.
enum ProofImageRepository {
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

    /// Deletes the images of the deliveries of a page of ``EndedDeliveries``.
    static let deletionOfPage: SQL =
        "DELETE FROM proof_images USING page WHERE proof_images.delivery_id = page.delivery_id"
}

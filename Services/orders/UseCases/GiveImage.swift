import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Keeps a photo or a signature of a hand-over, which is its proof, in the transaction that records the proof.
struct GiveImage: Sendable {
    let change: ChangeDelivery
    /// Seals images; nil where none can be kept.
    let box: ProofImageBox?
    /// Days after the end of a delivery for which its images are kept.
    let imagesDays: Int

    enum Refusal: Error, Hashable, Sendable {
        /// The installation has no keys to seal an image with.
        case notKept
    }

    /// - Parameters:
    ///   - bytes: of a stranger; who may not see the delivery learns that, and nothing of them.
    ///   - kind: a photo or a signature.
    /// - Throws: `Refusal`, `ProofImage.Fault`, `ChangeDelivery.Refusal`, `ChangeRefusal`; nothing is kept then.
    func callAsFunction(
        _ bytes: [UInt8], as kind: ProofKind, of id: DeliveryID, by principal: Principal
    ) async throws -> ChangeDelivery.Outcome {
        guard let delivery = try await OrderRepository.delivery(id, opening: nil, on: change.pool)?.delivery,
            principal.sees(delivery)
        else { throw ChangeDelivery.Refusal.notFound(id) }
        guard let box else { throw Refusal.notKept }
        let image = try ProofImage(bytes)
        let hash = image.hash
        let outcome = try await change.pool.withTransaction(retriesMax: 3) { transaction in
            let outcome = try await change(id, by: principal, in: transaction) { _ in .image(kind, hash) }
            if outcome.hasChanged {
                // The deletion has passed such a delivery, and would leave the image.
                let start = change.clock.now.addingTimeInterval(-Double(imagesDays) * 86_400)
                if let endedAt = outcome.record.delivery.endedAt, endedAt < start {
                    throw ChangeRefusal.tooLate("a \(kind.rawValue) is kept for \(imagesDays) days after the end")
                }
                let sealed = try box.seal(image, of: id)
                try await transaction.execute(
                    ProofImageRepository.insert(
                        .init(format: image.format, sealed: sealed), hash: hash, of: id))
            }
            return outcome
        }
        if outcome.hasChanged { change.wake() }
        return outcome
    }
}

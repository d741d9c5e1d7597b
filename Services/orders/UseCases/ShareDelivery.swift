import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Makes and revokes links that only show a delivery, for a shop to text to its customer.
///
/// The holder of a link sees the card; pressing also needs the order's number. The link is the same each time, until it
/// is revoked.
struct ShareDelivery: Sendable {
    let pool: PostgresPool
    let signer: LinkSigner

    enum Refusal: Error, Hashable, Sendable {
        /// There is no such delivery, or it is not this principal's.
        case notFound(DeliveryID)
        /// The delivery has no link number left after its revocations.
        case revokedTooOften
    }

    /// The delivery, and its valid view link.
    func callAsFunction(
        _ id: DeliveryID, by principal: Principal
    ) async throws -> (delivery: Delivery, link: ViewLinkBody) {
        let delivery = try await delivery(id, by: principal)
        guard let number = try await ViewLinkRepository.make(of: id, on: pool) else { throw Refusal.notFound(id) }
        let link = Link.view(of: id, number: UInt16(clamping: number))
        return (delivery, ViewLinkBody(url: signer.url(of: link), expiresAt: Link.viewEnd(of: delivery)))
    }

    /// Revokes every view link of the delivery, also where the database knows of none; later links differ.
    ///
    /// - Returns: whether it knew of a link.
    func revoke(_ id: DeliveryID, by principal: Principal) async throws -> Bool {
        _ = try await delivery(id, by: principal)
        let former = try await ViewLinkRepository.number(of: id, on: pool)
        guard try await ViewLinkRepository.revoke(of: id, on: pool) else { throw Refusal.revokedTooOften }
        return former != nil
    }

    private func delivery(_ id: DeliveryID, by principal: Principal) async throws -> Delivery {
        guard let delivery = try await OrderRepository.delivery(id, opening: nil, on: pool)?.delivery,
            principal.sees(delivery)
        else {
            throw Refusal.notFound(id)
        }
        return delivery
    }
}

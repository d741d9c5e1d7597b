import OrderDomain
import PostgresClient

/// Makes and revokes links to couriers' own pages.
///
/// The holder of a link sees the courier's deliveries and may press as the courier: the link is a credential, the same
/// each time until it is revoked.
struct ShareCourierPage: Sendable {
    let pool: PostgresPool
    let signer: LinkSigner

    /// Why a link shows nothing.
    enum Refusal: Error, Hashable, Sendable {
        /// Forged, or signed with an unknown key.
        case notFound
        case revoked
    }

    /// The courier's valid link.
    func callAsFunction(_ courier: CourierID) async throws -> String {
        signer.url(
            of: CourierLink(courier: courier, number: try await CourierLinkRepository.make(of: courier, on: pool)))
    }

    /// Revokes every link of the courier, also where the database knows of none.
    ///
    /// - Returns: whether it knew of a link.
    func revoke(_ courier: CourierID) async throws -> Bool {
        try await CourierLinkRepository.revoke(of: courier, on: pool)
    }

    /// The courier of a valid link's page.
    func courier(of token: String) async throws -> CourierID {
        guard let link = signer.courierLink(from: token) else { throw Refusal.notFound }
        guard try await CourierLinkRepository.number(of: link.courier, on: pool) == link.number else {
            throw Refusal.revoked
        }
        return link.courier
    }
}

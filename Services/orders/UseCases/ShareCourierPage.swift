import OrderDomain
import PostgresClient

/// Makes and revokes links to couriers' own pages.
///
/// Whoever has one sees what the courier carries and may press as them: it is a credential, the same each time until it
/// is revoked.
struct ShareCourierPage: Sendable {
    let pool: PostgresPool
    let signer: LinkSigner

    /// Why a link shows nothing.
    enum Refusal: Error, Hashable, Sendable {
        /// Forged, or signed with an unknown key.
        case notFound
        case revoked
    }

    /// The link that is good now.
    func callAsFunction(_ courier: CourierID) async throws -> String {
        signer.url(
            of: CourierLink(courier: courier, number: try await CourierLinkRepository.make(of: courier, on: pool)))
    }

    /// Has every link of the courier show nothing any more.
    ///
    /// - Returns: whether one was made.
    func revoke(_ courier: CourierID) async throws -> Bool {
        try await CourierLinkRepository.revoke(of: courier, on: pool)
    }

    /// Whose page a link is, where it is good now.
    func courier(of token: String) async throws -> CourierID {
        guard let link = signer.courierLink(from: token) else { throw Refusal.notFound }
        guard try await CourierLinkRepository.number(of: link.courier, on: pool) == link.number else {
            throw Refusal.revoked
        }
        return link.courier
    }
}

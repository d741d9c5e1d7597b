package import Foundation
internal import Synchronization

/// A cache of valid tokens' identities, so that the next request with one costs no signature check.
///
/// Keys live as long as the process, so only expiry can make a valid token invalid; it is checked each time.
package final class VerifiedTokens: Sendable {
    private let identities = Mutex<[String: Identity]>([:])
    private let tokensMax: Int

    package init(tokensMax: Int = 4_096) { self.tokensMax = tokensMax }

    /// - Parameter now: wall time.
    /// - Throws: ``TokenError``.
    package func identity(of token: String, keys: TokenKeys, at now: Date) async throws -> Identity {
        if let known = identities.withLock({ $0[token] }) {
            guard known.expiresAt > now else { throw TokenError.expired }
            return known
        }
        let identity = try await keys.verify(token, at: now)
        identities.withLock { identities in
            // Full once in a long while; those still in use are back with their next request.
            if identities.count >= tokensMax { identities.removeAll(keepingCapacity: true) }
            identities[token] = identity
        }
        return identity
    }
}

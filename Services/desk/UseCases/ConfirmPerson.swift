import BackgroundWork
import FlowControl
import Foundation
import Logging
import OpenIDConnect
import PostgresClient
import Synchronization

/// Confirms a person's identity and groups with the identity provider, twice a minute while their session is used.
final class ConfirmPerson: Sendable {
    /// The interval of log lines about an outage.
    private static let logInterval = Duration.seconds(60)

    private let pool: PostgresPool
    private let identityProvider: IdentityProvider?
    private let logger: Logger
    private let outage = Mutex(LogThrottle(every: logInterval))

    /// - Parameter identityProvider: nil where none is configured.
    init(pool: PostgresPool, identityProvider: IdentityProvider?, logger: Logger) {
        self.pool = pool
        self.identityProvider = identityProvider
        self.logger = logger
    }

    /// - Returns: the session with its person's present name and role; nil where the provider rejects the person, and
    ///   the session has ended. Without an answer the session is unchanged, for ``ProviderProof/confirmationLifetime``.
    func callAsFunction(_ session: Session, of secret: Secret, at now: Date) async throws -> Session? {
        guard case .provider(let proof) = session.proof else { return session }
        guard let identityProvider, identityProvider.issuer == proof.issuer else { return nil }
        guard proof.needsCheck(at: now),
            let sealed = try await SessionRepository.leaseCheck(
                secretHash: secret.hash, before: now.addingTimeInterval(-ProviderProof.checkInterval), at: now, on: pool
            )
        else { return proof.isConfirmed(at: now) ? session : nil }
        // A refresh token that was used must be replaced by what the provider gave for it, also where the browser gives its
        // request up.
        return try await withCancellationShield {
            try await self.check(session, proof, sealed, of: secret, at: now, by: identityProvider)
        }
    }

    private func check(
        _ session: Session, _ proof: ProviderProof, _ sealed: [UInt8], of secret: Secret, at now: Date,
        by identityProvider: IdentityProvider
    ) async throws -> Session? {
        let former = proof.isConfirmed(at: now) ? session : nil
        do {
            let grant = try JSONDecoder().decode(ProviderGrant.self, from: secret.open(sealed))
            let (user, renewed) = try await identityProvider.confirm(grant, of: proof.subject)
            try await SessionRepository.keepCheck(
                secretHash: secret.hash, sealedGrant: try secret.seal(JSONEncoder().encode(renewed)), user: user,
                at: now, on: pool)
            guard let user else { return former }
            var confirmed = session
            confirmed.user = user
            return confirmed
        } catch OpenIDError.unavailable(let reason) {
            if outage.withLock({ $0.isDue(at: .now) }) {
                logger.warning("The identity provider does not answer confirmations", metadata: ["reason": "\(reason)"])
            }
            return former
        } catch let refusal where refusal is OpenIDError || refusal is IdentityProvider.Refusal {
            logger.notice(
                "A session ends: the identity provider does not confirm it",
                metadata: ["subject": "\(session.user.subject)", "reason": "\(refusal)"])
            try await SessionRepository.delete(secretHash: secret.hash, on: pool)
            return nil
        }
    }
}

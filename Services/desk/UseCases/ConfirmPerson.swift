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
    /// Wall time between two reads of a session that another call checks.
    private static let rereadInterval = Duration.milliseconds(200)
    /// The reads of a session that another call checks: two seconds of them.
    private static let rereadsMax = 10
    /// Seconds of a check: two requests of at most ten seconds each.
    private static let checkSecondsMax: TimeInterval = 20

    private let pool: PostgresPool
    private let identityProvider: IdentityProvider?
    private let logger: Logger
    private let outage = Mutex(LogThrottle(every: logInterval))
    /// The running checks of unconfirmed sessions, by the hash of the secret.
    private let checks = SharedReads<[UInt8], Result<Session?, any Error>>(keysMax: 100)
    private let pause: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - identityProvider: nil where none is configured.
    ///   - pause: waits between two reads of a session.
    init(
        pool: PostgresPool, identityProvider: IdentityProvider?, logger: Logger,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.pool = pool
        self.identityProvider = identityProvider
        self.logger = logger
        self.pause = pause
    }

    /// - Returns: the session with its person's present name and role; nil where the provider rejects the person, and
    ///   the session has ended. Without an answer the session is unchanged, for ``ProviderProof/confirmationLifetime``.
    func callAsFunction(_ session: Session, of secret: Secret, at now: Date) async throws -> Session? {
        guard case .provider(let proof) = session.proof else { return session }
        guard let identityProvider, identityProvider.issuer == proof.issuer else { return nil }
        guard proof.isConfirmed(at: now) else {
            // No request of an unconfirmed session is answered before its check, so that all of them share one.
            return try await checks.value(of: secret.hash) {
                guard let sealed = try await lease(proof, of: secret, at: now) else {
                    return try await outcomeElsewhere(of: secret, at: now)
                }
                return try await check(session, proof, sealed, of: secret, at: now, by: identityProvider)
            }
        }
        guard let sealed = try await lease(proof, of: secret, at: now) else { return session }
        return try await check(session, proof, sealed, of: secret, at: now, by: identityProvider)
    }

    /// - Returns: the sealed grant; nil where no check is due, and where another call makes it.
    private func lease(_ proof: ProviderProof, of secret: Secret, at now: Date) async throws -> [UInt8]? {
        guard proof.needsCheck(at: now) else { return nil }
        return try await SessionRepository.leaseCheck(
            secretHash: secret.hash, before: now.addingTimeInterval(-ProviderProof.checkInterval), at: now, on: pool)
    }

    /// The session after a check that another call makes, mostly another replica's.
    ///
    /// - Returns: nil where the session has ended, and where two seconds bring no confirmation.
    private func outcomeElsewhere(of secret: Secret, at now: Date) async throws -> Session? {
        for _ in 0..<Self.rereadsMax {
            guard let session = try await SessionRepository.session(secretHash: secret.hash, on: pool),
                case .provider(let proof) = session.proof
            else { return nil }
            if proof.isConfirmed(at: now) { return session }
            // The last check has failed.
            guard now.timeIntervalSince(proof.checkedAt) < Self.checkSecondsMax else { return nil }
            try await pause(Self.rereadInterval)
        }
        return nil
    }

    private func check(
        _ session: Session, _ proof: ProviderProof, _ sealed: [UInt8], of secret: Secret, at now: Date,
        by identityProvider: IdentityProvider
    ) async throws -> Session? {
        // A refresh token that was used must be replaced by what the provider gave for it, also where the browser gives
        // its request up.
        try await withCancellationShield { () async throws -> Session? in
            let former = proof.isConfirmed(at: now) ? session : nil
            do {
                let grant = try JSONDecoder().decode(ProviderGrant.self, from: secret.open(sealed))
                let (user, renewed) = try await identityProvider.confirm(grant, of: proof.subject)
                try await SessionRepository.keepCheck(
                    secretHash: secret.hash, sealedGrant: try secret.seal(JSONEncoder().encode(renewed)), user: user,
                    at: now, on: self.pool)
                guard let user else { return former }
                var confirmed = session
                confirmed.user = user
                return confirmed
            } catch OpenIDError.unavailable(let reason) {
                if self.outage.withLock({ $0.isDue(at: .now) }) {
                    self.logger.warning(
                        "The identity provider does not answer confirmations", metadata: ["reason": "\(reason)"])
                }
                return former
            } catch let refusal where refusal is OpenIDError || refusal is IdentityProvider.Refusal {
                self.logger.notice(
                    "A session ends: the identity provider does not confirm it",
                    metadata: ["subject": "\(session.user.subject)", "reason": "\(refusal)"])
                try await SessionRepository.delete(secretHash: secret.hash, on: self.pool)
                return nil
            }
        }
    }
}

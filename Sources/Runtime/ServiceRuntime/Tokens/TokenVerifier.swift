internal import BackgroundWork
package import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Verifies tokens against the newest contents of the key file.
///
/// Valid tokens' identities are cached, so that the next request with one costs no signature check. Expiry and
/// revocation are checked each time; other keys empty the cache.
package final class TokenVerifier: Sendable {
    /// Wall time between two readings of the key file.
    static let reloadInterval = Duration.seconds(2)
    private static let tokensMax = 4_096

    private struct State {
        var keys: TokenKeys
        /// Rises when the keys are replaced, so that identities verified with older keys are not cached.
        var generation = 0
        var identities: [String: Identity] = [:]
    }

    private let state: Mutex<State>
    private let load: @Sendable () async throws -> TokenKeys

    /// - Parameter load: reloads the keys; nil keeps them unchanged.
    package init(_ keys: TokenKeys, load: (@Sendable () async throws -> TokenKeys)? = nil) {
        state = Mutex(State(keys: keys))
        self.load = load ?? { keys }
    }

    /// The keys of the last reading.
    var keys: TokenKeys { state.withLock { $0.keys } }

    /// The identity of a token's bearer.
    ///
    /// - Parameter now: wall time.
    /// - Throws: ``TokenError``.
    package func identity(of token: String, at now: Date) async throws -> Identity {
        let (known, keys, generation) = state.withLock { ($0.identities[token], $0.keys, $0.generation) }
        if let known {
            guard known.expiresAt > now else { throw TokenError.expired }
            return known
        }
        let identity = try await keys.verify(token, at: now)
        state.withLock { state in
            guard state.generation == generation else { return }
            // The cache is rarely full; tokens in use are cached again with their next request.
            if state.identities.count >= Self.tokensMax { state.identities.removeAll(keepingCapacity: true) }
            state.identities[token] = identity
        }
        return identity
    }

    /// Whether the token of an identity was revoked since it was verified, by itself or with its key.
    package func isRevoked(_ identity: Identity) -> Bool { keys.isRevoked(identity) }

    /// Reads the key file; removed keys are no longer trusted.
    ///
    /// - Throws: ``ConfigurationError`` for a faulty file; the former keys then stay.
    package func reload() async throws {
        let keys = try await load()
        state.withLock { state in
            guard keys.file != state.keys.file else { return }
            state.keys = keys
            state.generation += 1
            state.identities.removeAll()
        }
    }
}

extension TokenVerifier {
    /// The service that reads the key file every two seconds, and keeps the former keys for a faulty file.
    func reloading(logger: Logger) -> some Service {
        PeriodicTask("reading of the token keys", every: Self.reloadInterval, logger: logger) {
            try await self.reload()
        }
    }
}

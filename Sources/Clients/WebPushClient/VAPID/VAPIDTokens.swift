internal import DeclaredMetrics
internal import Foundation
internal import Metrics
internal import Synchronization

/// VAPID tokens for requests, signed on demand and cached while they are valid.
final class VAPIDTokens: Sendable {
    private let key: VAPIDKey
    private let now: @Sendable () -> Date
    private let cache = Mutex(VAPIDTokenCache())
    private let signed = WebPushMetrics.tokensSigned.counter()

    /// - Parameter now: wall time.
    init(_ key: VAPIDKey, now: @escaping @Sendable () -> Date) {
        self.key = key
        self.now = now
    }

    /// The value of `Authorization` for requests to this origin.
    ///
    /// The lock is held while one is signed (about 50 µs), so that there is never a second.
    func authorization(for origin: String) throws -> String {
        let now = now()
        return try cache.withLock { cache in
            if let known = cache.authorization(for: origin, at: now) { return known }
            let made = try key.authorization(
                audience: origin, expiry: Int((now + VAPIDTokenCache.lifetime).timeIntervalSince1970))
            cache.keep(made, for: origin, issuedAt: now)
            signed.increment()
            return made
        }
    }
}

internal import DeclaredMetrics
internal import FlowControl
internal import Foundation
internal import Logging
internal import Metrics
internal import Synchronization

/// The provider tokens of one key: one at a time, for all connections.
final class ProviderTokens: Sendable {
    private let key: ProviderKey
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let state: Mutex<ProviderTokenState>
    private let skewWarnings = Mutex(LogThrottle(every: .seconds(30)))
    private let signed = APNsMetrics.tokensSigned.counter()
    private let skew = APNsMetrics.clockSkew.gauge()
    /// Whether the gauge has a difference of the clocks.
    private let isSkewed = Atomic(false)

    init(_ key: ProviderKey, refreshAfter: Duration, now: @escaping @Sendable () -> Date, logger: Logger) {
        self.key = key
        self.now = now
        self.logger = logger
        state = Mutex(ProviderTokenState(refreshAfter: TimeInterval(refreshAfter.components.seconds)))
    }

    /// The token for the next request, signed again where it is due.
    ///
    /// The lock is held during a signature (about 50 µs, once in 50 minutes), so that no second token is signed.
    func current() throws -> ProviderToken {
        let now = now()
        return try state.withLock { state in
            state.usePostponed(at: now)
            if let token = state.current, !state.isDue(at: now) { return token }
            return try sign(at: now, in: &state)
        }
    }

    /// The token with which to repeat a refused request; nil where the request must not be repeated.
    func replacement(for token: ProviderToken, refusedWith refusal: APNsRefusal) throws -> ProviderToken? {
        let now = now()
        switch refusal.reason {
        case .expiredProviderToken:
            let replacement: ProviderToken? = try state.withLock { state in
                switch state.expired(token, at: now) {
                case .resend: state.current
                case .refresh: try sign(at: now, in: &state)
                case .clockSkew: nil
                }
            }
            if replacement == nil { reportSkew(of: token, serverDate: refusal.serverDate, at: now) }
            return replacement
        case .tooManyProviderTokenUpdates:
            state.withLock { $0.tooManyUpdates(token, at: now) }
            logger.error(
                "APNs accepts no new provider token for 20 minutes, continuing with the previous one",
                metadata: ["key_id": "\(key.keyID)"])
            return nil
        default: return nil
        }
    }

    /// Notes that APNs accepted a request with one of the tokens, so that the clocks are no longer apart.
    func noteAccepted() {
        guard isSkewed.load(ordering: .relaxed), isSkewed.exchange(false, ordering: .relaxed) else { return }
        skew.record(0)
    }

    private func sign(at now: Date, in state: inout ProviderTokenState) throws -> ProviderToken {
        let seconds = Int(now.timeIntervalSince1970)
        let token = ProviderToken(
            issuedAt: Date(timeIntervalSince1970: TimeInterval(seconds)),
            authorization: "bearer \(try key.sign(issuedAt: seconds))")
        state.replace(with: token)
        signed.increment()
        logger.info("Signed a provider token for APNs", metadata: ["key_id": "\(key.keyID)"])
        return token
    }

    private func reportSkew(of token: ProviderToken, serverDate: Date?, at now: Date) {
        let difference = serverDate.map { now.timeIntervalSince($0).rounded() }
        if let difference {
            skew.record(difference)
            isSkewed.store(true, ordering: .relaxed)
        }
        guard skewWarnings.withLock({ $0.isDue(at: .now) }) else { return }
        logger.error(
            """
            APNs calls a provider token expired that is \(Int(now.timeIntervalSince(token.issuedAt))) s old by this \
            machine's clock, which is probably wrong: set it by NTP
            """,
            metadata: ["key_id": "\(key.keyID)", "seconds_ahead": "\(difference.map { "\(Int($0))" } ?? "unknown")"])
    }
}

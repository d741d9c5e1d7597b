import DomainTime
import Foundation

/// A signed-in browser; its times are wall time.
struct Session: Hashable, Sendable {
    /// Seconds without use after which the session ends.
    static let idleTime: TimeInterval = 30 * 60
    /// Seconds after which the session ends despite use: a long shift.
    static let lifetime: TimeInterval = 12 * 3_600
    /// Seconds after which a session ends that the identity provider cannot confirm again.
    static let unconfirmedLifetime: TimeInterval = 3_600
    /// Seconds between two records of a session's use.
    static let seenInterval: TimeInterval = 60

    var user: DeskUser
    let proof: SessionProof
    let startedAt: Date
    let seenAt: Date
    /// The session's end despite use.
    let expiresAt: Date

    /// Whether it is valid; a clock that is set back by less than ``idleTime`` ends no session.
    func isGood(at now: Date) -> Bool { abs(now.timeIntervalSince(seenAt)) < Self.idleTime && now < expiresAt }

    func needsNoting(at now: Date) -> Bool { !Self.isRecent(seenAt, within: Self.seenInterval, at: now) }

    /// Whether less than some seconds have passed since a stored time.
    ///
    /// A time that was stored before the clock was set back counts as unknown.
    static func isRecent(_ time: Date, within seconds: TimeInterval, at now: Date) -> Bool {
        (-DomainClock.replicaDifferenceMax..<seconds).contains(now.timeIntervalSince(time))
    }
}

extension Session {
    /// A new session; it ends with its token.
    init(of user: DeskUser, begunWith token: SessionToken, at now: Date) {
        self.init(
            user: user, proof: .token(token), startedAt: now, seenAt: now,
            expiresAt: min(now.addingTimeInterval(Self.lifetime), token.expiresAt))
    }

    /// A new session by an identity provider's answer.
    ///
    /// - Parameter expiresAt: the end of the provider's ID token: where the provider cannot be asked again, the session
    ///   ends with that token.
    init(of user: DeskUser, begunBy provider: ProviderProof, until expiresAt: Date, at now: Date) {
        let end =
            provider.sealedGrant == nil
            ? min(now.addingTimeInterval(Self.unconfirmedLifetime), expiresAt)
            : now.addingTimeInterval(Self.lifetime)
        self.init(user: user, proof: .provider(provider), startedAt: now, seenAt: now, expiresAt: end)
    }
}

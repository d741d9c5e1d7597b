import Foundation

/// A browser in which somebody is signed in; its times are wall time.
struct Session: Hashable, Sendable {
    /// How long it may be left alone.
    static let idleTime: TimeInterval = 30 * 60
    /// How long it is good for, however much it is used: a long shift.
    static let lifetime: TimeInterval = 12 * 3_600
    /// The same where the identity provider cannot be asked again.
    static let unconfirmedLifetime: TimeInterval = 3_600
    /// It is noted that a session is used when that was noted so long ago.
    static let seenInterval: TimeInterval = 60

    var user: DeskUser
    let proof: SessionProof
    let startedAt: Date
    let seenAt: Date
    /// Its end, however much it is used.
    let expiresAt: Date

    /// One that begins now; it ends with the token that it is begun with.
    init(of user: DeskUser, begunWith token: SessionToken, at now: Date) {
        self.init(
            user: user, proof: .token(token), startedAt: now, seenAt: now,
            expiresAt: min(now.addingTimeInterval(Self.lifetime), token.expiresAt))
    }

    /// One that begins now by an identity provider's answer.
    ///
    /// - Parameter expiresAt: when the provider's ID token expires: where the provider cannot be asked again, the session
    ///   ends with that.
    init(of user: DeskUser, begunBy provider: ProviderProof, until expiresAt: Date, at now: Date) {
        let end =
            provider.sealedGrant == nil
            ? min(now.addingTimeInterval(Self.unconfirmedLifetime), expiresAt)
            : now.addingTimeInterval(Self.lifetime)
        self.init(user: user, proof: .provider(provider), startedAt: now, seenAt: now, expiresAt: end)
    }

    /// One that is kept.
    init(user: DeskUser, proof: SessionProof, startedAt: Date, seenAt: Date, expiresAt: Date) {
        self.user = user
        self.proof = proof
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.expiresAt = expiresAt
    }

    func isGood(at now: Date) -> Bool { now.timeIntervalSince(seenAt) < Self.idleTime && now < expiresAt }

    func needsNoting(at now: Date) -> Bool { now.timeIntervalSince(seenAt) >= Self.seenInterval }
}

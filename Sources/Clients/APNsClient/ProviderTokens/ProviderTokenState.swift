internal import Foundation

/// A signed token and when it was.
struct ProviderToken: Sendable, Hashable {
    let issuedAt: Date
    /// The value of `authorization`; never logged.
    let authorization: String
}

/// The provider token in use, and when the next may be signed.
///
/// APNs accepts a new token at most every 20 minutes, and no token older than an hour.
/// - Source: Apple, "Establishing a token-based connection to APNs".
struct ProviderTokenState {
    /// The least seconds between two new tokens.
    static let updateInterval: TimeInterval = 20 * 60
    /// The most seconds for which APNs accepts a token.
    static let lifetime: TimeInterval = 60 * 60

    /// The age at which a token is replaced, in seconds.
    private let refreshAfter: TimeInterval
    private(set) var current: ProviderToken?
    private var previous: ProviderToken?
    /// Signed, and refused as too early: it is used when the one before has expired.
    private var postponed: ProviderToken?
    private var noneBefore: Date?

    init(refreshAfter: TimeInterval) { self.refreshAfter = refreshAfter }

    /// The action after APNs reports a token as expired.
    enum Expiry: Hashable {
        /// Send again with the current token.
        case resend
        /// Sign another, then send again.
        case refresh
        /// The token is young: one of the two clocks is wrong, and another token would not help.
        case clockSkew
    }

    /// True when a token is to be signed before the next request.
    ///
    /// A token issued in the future was signed before the clock was set back: APNs would reject it.
    func isDue(at now: Date) -> Bool {
        guard let current else { return true }
        if let noneBefore, now < noneBefore, noneBefore.timeIntervalSince(now) <= Self.updateInterval { return false }
        let age = now.timeIntervalSince(current.issuedAt)
        return age < 0 || age >= refreshAfter
    }

    mutating func replace(with token: ProviderToken) {
        previous = current
        current = token
        (postponed, noneBefore) = (nil, nil)
    }

    /// Reuses the token that was refused as too early, once the previous token in use has expired: otherwise no request
    /// could be sent until another token may be signed.
    mutating func usePostponed(at now: Date) {
        guard let postponed, !isAlive(current, at: now) else { return }
        (current, self.postponed) = (postponed, nil)
    }

    private func isAlive(_ token: ProviderToken?, at now: Date) -> Bool {
        token.map { now.timeIntervalSince($0.issuedAt) < Self.lifetime } ?? false
    }

    /// APNs answered that `token` has expired.
    mutating func expired(_ token: ProviderToken, at now: Date) -> Expiry {
        if let postponed, token == current { (current, self.postponed) = (postponed, nil) }
        guard let current, current == token else { return .resend }
        if let noneBefore, now < noneBefore { return .clockSkew }
        return now.timeIntervalSince(token.issuedAt) > Self.updateInterval ? .refresh : .clockSkew
    }

    /// APNs answered that `token` came too soon: the one before is used while it lives, and none is signed for a while.
    mutating func tooManyUpdates(_ token: ProviderToken, at now: Date) {
        guard token == current else { return }
        noneBefore = now + Self.updateInterval
        if isAlive(previous, at: now) { (current, postponed) = (previous, token) }
        previous = nil
    }
}

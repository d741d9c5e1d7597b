/// One connection's authentication of its provider: tokens are verified once, and may not change often.
struct ConnectionAuthentication: Sendable {
    /// Seconds between two tokens on one connection; a third within them is refused.
    static let updateSeconds = 20 * 60

    private struct Known {
        let text: String
        let token: ProviderToken
        let keysVersion: Int
    }

    private var current: Known?
    /// When the token last changed, epoch seconds; nil before the first change.
    private var changedAt: Int?

    /// Whether a request was authenticated yet; from then on the connection has more than one stream.
    private(set) var isAuthenticated = false

    /// Checks the value of `authorization`.
    ///
    /// - Parameters:
    ///   - keys: the valid keys, and a number that rises when they change.
    ///   - now: epoch seconds by the service's clock.
    mutating func check(
        _ authorization: String?, keys: (version: Int, byID: [String: SigningKey]), environment: APNsEnvironment,
        topic: String?, at now: Int
    ) throws(Refusal) {
        guard let authorization else { throw Refusal(.missingProviderToken) }
        if let current, current.text == authorization, current.keysVersion == keys.version {
            try Self.check(current.token, at: now)
            try Self.check(keys.byID[current.token.keyID], environment, topic)
            return
        }
        guard authorization.count > 7, authorization.prefix(7).lowercased() == "bearer " else {
            throw Refusal(.missingProviderToken)
        }
        let token = try ProviderToken(authorization.dropFirst(7), keys: keys.byID)
        try Self.check(token, at: now)
        try Self.check(keys.byID[token.keyID], environment, topic)
        if let current, current.text != authorization {
            guard current.token.teamID == token.teamID else { throw Refusal(.unrelatedKeyIDInToken) }
            if let changedAt, now - changedAt < Self.updateSeconds { throw Refusal(.tooManyProviderTokenUpdates) }
        }
        if current?.text != authorization { changedAt = now }
        current = Known(text: authorization, token: token, keysVersion: keys.version)
        isAuthenticated = true
    }

    private static func check(_ token: ProviderToken, at now: Int) throws(Refusal) {
        // A time that is too far ahead is refused like one that is too old.
        guard abs(now - token.issuedAt) <= ProviderToken.lifetimeSeconds else { throw Refusal(.expiredProviderToken) }
    }

    private static func check(
        _ key: SigningKey?, _ environment: APNsEnvironment, _ topic: String?
    ) throws(Refusal) {
        guard let key else { throw Refusal(.invalidProviderToken) }
        guard key.environments.contains(environment) else { throw Refusal(.badEnvironmentKeyIDInToken) }
        if let topic, let topics = key.topics, !topics.contains(topic) { throw Refusal(.topicDisallowed) }
    }
}

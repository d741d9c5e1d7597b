internal import SeededRandom
internal import TextCoding

/// Tokens: who may be pushed to, and what Apple's service answers for those that are gone.
extension PushedPhone {
    /// The purpose of a token.
    public enum TokenPurpose: Codable, Hashable, Sendable {
        case start
        case update(instance: String)
    }

    /// A token that the system gave the app.
    struct IssuedToken: Codable, Hashable, Sendable {
        let purpose: TokenPurpose
        let ordinal: UInt64
        /// The end of its validity, epoch seconds; nil while it is valid.
        var goneSince: Int?
        /// Whether Apple's service continues to accept pushes for it, which reach no phone.
        var isDeaf = false
    }

    /// The state of a token in Apple's service.
    public enum TokenStatus: Hashable, Sendable {
        case valid
        /// Replaced at the given time: 410 `ExpiredToken`.
        case expired(since: Int)
        /// Its card ended at the given time: 410 `Unregistered`.
        case unregistered(since: Int)
    }

    /// Every token that is known, those that are gone included.
    public var knownTokens: [String] { Array(tokens.keys) }

    /// The token that starts cards; nil before iOS 17.2.
    public var startToken: String? { token(for: .start) }

    /// The token that updates a card, as far as the app may know it.
    public func updateToken(of instance: String) -> String? {
        instances[instance]?.hasToken == true ? token(for: .update(instance: instance)) : nil
    }

    /// The answer of Apple's service for a token of this phone; nil for any other.
    public func status(of token: String, at now: Int) -> TokenStatus? {
        guard let issued = tokens[token] else { return nil }
        if let since = issued.goneSince { return issued.isDeaf ? .valid : .expired(since: since) }
        if case .update(let instance) = issued.purpose {
            guard let card = phone[card: instance] else { return .unregistered(since: now) }
            if !card.state.isLive, let endedAt = card.endedAt {
                let since = endedAt - clockSkewSeconds
                if since + settings.endedTokenSeconds <= now { return .unregistered(since: since) }
            }
        }
        return .valid
    }

    /// Replaces the token that starts cards, or a card's.
    ///
    /// - Parameter isFormerDeaf: whether Apple's service goes on answering 200 for the former while nothing happens, as
    ///   has been met after an app was forced to quit.
    /// - Returns: what the app notices; nothing where there was no such token.
    public mutating func rotate(_ purpose: TokenPurpose, isFormerDeaf: Bool = false, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard let former = token(for: purpose) else { return effects }
        tokens[former]?.goneSince = now
        tokens[former]?.isDeaf = isFormerDeaf
        issueToken(for: purpose)
        switch purpose {
        case .start: return effects + notices([.registrationChanged], at: now)
        case .update(let instance):
            guard instances[instance]?.hasToken == true else { return effects }
            return effects + notices([.updateToken(instance: instance)], at: now)
        }
    }

    func token(for purpose: TokenPurpose) -> String? {
        tokens.first { $0.value.purpose == purpose && $0.value.goneSince == nil }?.key
    }

    mutating func issueToken(for purpose: TokenPurpose) {
        tokensCount += 1
        tokensVersion += 1
        tokens[Self.tokenText(seed: settings.tokenSeed, number: tokensCount)] = IssuedToken(
            purpose: purpose, ordinal: tokensCount)
        forgetOldTokens()
    }

    private mutating func forgetOldTokens() {
        guard tokens.count > Self.rememberedTokensMax else { return }
        let oldest = tokens.filter { !isNeeded($0.value) }.min { $0.value.ordinal < $1.value.ordinal }
        if let oldest { tokens[oldest.key] = nil }
    }

    private func isNeeded(_ issued: IssuedToken) -> Bool {
        guard issued.goneSince == nil else { return false }
        guard case .update(let instance) = issued.purpose else { return true }
        return phone[card: instance]?.state.isLive ?? true
    }

    /// 80 bytes in hex, a length that occurs in practice: a provider must not rely on 32.
    private static func tokenText(seed: UInt64, number: UInt64) -> String {
        var sequence = SeededGenerator(seed: seed &+ number &* 0xD1B5_4A32_D192_ED03)
        return (0..<10).map { _ in Hexadecimal.encode(sequence.next()) }.joined()
    }

    /// An `Activity.id`.
    static func instanceID(seed: UInt64, number: UInt64) -> String {
        var sequence = SeededGenerator(seed: seed &+ number &* 0x8CB9_2BA7_2F3D_8DD7)
        let digits = Array((Hexadecimal.encode(sequence.next()) + Hexadecimal.encode(sequence.next())).uppercased())
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }
}

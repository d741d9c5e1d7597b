import LiveActivity

/// One push of a device's stream.
struct CardPush: Sendable {
    /// Where the stream goes on after this; opaque.
    let sequence: String
    let card: String
    let activity: String
    /// Nil for a customer's summary.
    let delivery: String?
    let payload: PushPayload
}

/// What a feed tells.
enum FeedEvent: Sendable {
    /// The stream is open; what was missed follows.
    case connected
    /// The stream is not open, and the next try is so far away.
    case lost(retryIn: Duration)
    case push(CardPush)
    /// Something came that this version cannot read; it is passed over, and the stream goes on after it.
    case unreadable(sequence: String, reason: String)
}

/// Where a device's pushes come from.
protocol CardFeed: Sendable {
    /// Delivers what came after `sequence`, each once and in order, and goes on until it is cancelled.
    ///
    /// - Parameters:
    ///   - sequence: the last one that was delivered before; nil to be given all that is kept.
    ///   - deliver: is waited for, so nothing is read that nobody has taken yet.
    /// - Throws: `CommandFailure` when trying again is of no use.
    func run(after sequence: String?, deliver: @escaping @Sendable (FeedEvent) async throws -> Void) async throws
}

import LiveActivity

/// One push of a device's stream.
struct CardPush: Sendable {
    /// The event id to resume after; opaque.
    let sequence: String
    let card: String
    let activity: String
    /// Nil for a customer's summary.
    let delivery: String?
    let payload: PushPayload
}

/// An event of a device's stream or of its connection.
enum FeedEvent: Sendable {
    /// The server has the device under this registration. A new registration has sent none of the shown cards, and
    /// sends from the beginning. Nil where the server gives registrations no secret.
    case registered(String?)
    /// The stream is open; the backlog follows.
    case connected
    /// The stream is closed and will be retried after this delay. The last byte of it was received so long before, wall
    /// time.
    case lost(retryIn: Duration, silence: Duration = .zero)
    /// The customer has as many connected screens as possible; the stream will be retried after this delay.
    case refused(screensMax: Int, retryIn: Duration)
    case push(CardPush)
    /// An event that this version cannot decode; it is skipped, and the stream resumes after it.
    case unreadable(sequence: String, reason: String)
}

/// The source of a device's pushes.
protocol CardFeed: Sendable {
    /// Delivers the events after `sequence`, each once and in order, until it is cancelled.
    ///
    /// - Parameters:
    ///   - sequence: the last event id that was processed; nil for everything that the server still stores.
    ///   - deliver: awaited before the next event is read, which bounds the buffer.
    /// - Throws: `CommandFailure` when a retry would not help.
    func run(after sequence: String?, deliver: @escaping @Sendable (FeedEvent) async throws -> Void) async throws
}

import OrderDomain
import ServiceRuntime

/// The topic of a page's event stream.
enum PageTopic: Hashable, Sendable {
    case board
    case delivery(DeliveryID)
    /// The events of all deliveries.
    case events
}

extension SignedIn: StreamReader {
    /// Open streams of one session; one more is refused with 429.
    static let streamsMax = 12

    /// The session.
    var owner: Secret { secret }
}

/// The event streams of pages that are open in this process.
typealias PageStreams = OpenStreams<PageTopic, SignedIn>

extension OpenStreams<PageTopic, SignedIn> {
    /// Wall time after a change at which streams of deliveries and events read again: screens follow within that, and
    /// an answer that was shared is replaced.
    static var followUp: Duration { .seconds(2) }

    /// - Returns: nil where the reader's session has ``SignedIn/streamsMax`` open.
    func open(_ topic: PageTopic, for reader: SignedIn) -> StreamSlot? {
        open(topic, for: reader) { $0.count(of: reader.owner) < SignedIn.streamsMax ? .admitted() : .refused }
    }

    /// Wakes the streams of the board, of events and of some deliveries, and a second time after ``followUp``.
    func notify(_ deliveries: Set<DeliveryID>) {
        for delivery in deliveries where notify(.delivery(delivery)) {
            notify(.delivery(delivery), in: Self.followUp)
        }
        if notify(.events) { notify(.events, in: Self.followUp) }
        if notify(.board) { notify(.board, in: Self.followUp) }
    }

    /// Ends the streams of a session.
    ///
    /// - Parameter session: the hash of its secret.
    func end(session: [UInt8]) { end { $0.reader.secret.hash == session } }
}

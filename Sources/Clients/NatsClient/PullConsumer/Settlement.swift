/// What shall become of a delivered message.
public enum Settlement: Sendable, Hashable {
    /// It is done; never deliver it to this consumer again.
    case acknowledge
    /// Deliver it again after the wait.
    case retry(after: Duration)
    /// It can never be done; do not deliver it again, and do not count it as done.
    case discard

    /// The protocol's word for it.
    /// - Source: nats-architecture-and-design, ADR-15.
    var wire: [UInt8] {
        switch self {
        case .acknowledge: Array("+ACK".utf8)
        case .retry(let delay) where delay <= .zero: Array("-NAK".utf8)
        case .retry(let delay): Array("-NAK {\"delay\":\(delay.nanoseconds)}".utf8)
        case .discard: Array("+TERM".utf8)
        }
    }
}

/// One delivery and the way to settle it.
struct Delivered: Sendable {
    let message: StreamMessage
    /// Where the settlement goes.
    let reply: String
    let link: Link

    init?(_ arrived: NatsMessage, link: Link) {
        guard let reply = arrived.reply, let message = StreamMessage(arrived) else { return nil }
        self.message = message
        self.reply = reply
        self.link = link
    }

    var operation: String { "settling message \(message.streamSequence) of stream \(message.stream)" }

    /// Tells the server; it does not answer.
    func settle(_ settlement: Settlement) async throws {
        try await link.publish(settlement.wire, to: reply, operation: operation)
    }

    /// Tells the server as soon as may be, and if that fails lets its own wait for a settlement run out.
    func settleSoon(_ settlement: Settlement) {
        link.writer.enqueue { [self] in
            try? link.connection?.publish(settlement.wire, to: reply, operation: operation)
        }
    }
}

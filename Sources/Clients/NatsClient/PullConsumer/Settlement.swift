/// A settlement of a delivered message.
public enum Settlement: Sendable, Hashable {
    /// Never deliver it to this consumer again: it is done.
    case acknowledge
    /// Redeliver it after the delay.
    case retry(after: Duration)
    /// Terminate it: do not redeliver it, and do not count it as acknowledged.
    case discard

    /// The protocol's payload for it.
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

/// A delivered, unsettled message, with the subject of its settlement.
struct PendingMessage: Sendable {
    let message: StreamMessage
    /// The subject of the settlement.
    let reply: String
    let arrivedAt: ContinuousClock.Instant
    let transport: ReconnectingConnection

    init?(_ arrived: NatsMessage, at now: ContinuousClock.Instant, transport: ReconnectingConnection) {
        guard let reply = arrived.reply, let message = StreamMessage(arrived) else { return nil }
        self.message = message
        self.reply = reply
        arrivedAt = now
        self.transport = transport
    }

    /// The protocol's payload for "in progress", which restarts the server's `ackWait`.
    /// - Source: nats-architecture-and-design, ADR-15.
    static let inProgress = Array("+WPI".utf8)

    var operation: String { "settling message \(message.streamSequence) of stream \(message.stream)" }

    /// Publishes the settlement; the server does not confirm it.
    func settle(_ settlement: Settlement) async throws {
        try await transport.publish(settlement.wire, to: reply, operation: operation)
    }

    /// Queues the settlement and does not wait; if it fails the server redelivers after `ackWait`.
    func enqueueSettlement(_ settlement: Settlement) {
        transport.writer.enqueue { [self] in
            // The server redelivers a message whose settlement is lost.
            try? transport.connection?.publish(settlement.wire, to: reply, operation: operation)
        }
    }
}

/// Several deliveries that are worked on together, for instance in one database transaction.
///
/// Settled by ``settle(_:)``, which uses it up. Dropping it unsettled means redelivery of every message in it, as for
/// ``ReceivedMessage``.
public struct ReceivedBatch: ~Copyable, Sendable {
    /// The messages in the order of delivery, at least one.
    public let messages: [StreamMessage]
    private let pending: [PendingMessage]
    private let unsettledRetryDelay: Duration
    private var isSettled = false

    init(_ pending: [PendingMessage], unsettledRetryDelay: Duration) {
        messages = pending.map(\.message)
        self.pending = pending
        self.unsettledRetryDelay = unsettledRetryDelay
    }

    deinit {
        guard !isSettled else { return }
        for one in pending { one.enqueueSettlement(.retry(after: unsettledRetryDelay)) }
    }

    /// Settles each message as decided.
    /// - Throws: disconnected; unsettled messages are then redelivered.
    public consuming func settle(_ decide: (StreamMessage) -> Settlement) async throws {
        isSettled = true
        let settlements = pending.map { ($0, decide($0.message).wire) }
        guard let transport = pending.first?.transport else { return }
        let operation = "settling \(settlements.count) messages"
        guard let connection = transport.connection else { throw transport.notConnected(operation) }
        try await transport.writer.run {
            for (message, payload) in settlements {
                try connection.publish(payload, to: message.reply, operation: operation)
            }
        }
    }
}

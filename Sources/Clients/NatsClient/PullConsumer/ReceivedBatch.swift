/// Several deliveries that are worked on together, for instance in one database transaction.
///
/// Settled by ``acknowledge()``, ``retry(after:)`` or ``settle(_:)``, each of which uses it up. Dropping it unsettled
/// means redelivery of every message in it, as for ``ReceivedMessage``.
public struct ReceivedBatch: ~Copyable, Sendable {
    /// The messages in the order of delivery, at least one.
    public let messages: [StreamMessage]
    private let delivered: [Delivered]
    private let unsettledRetryDelay: Duration
    private var isSettled = false

    init(_ delivered: [Delivered], unsettledRetryDelay: Duration) {
        messages = delivered.map(\.message)
        self.delivered = delivered
        self.unsettledRetryDelay = unsettledRetryDelay
    }

    deinit {
        guard !isSettled else { return }
        for one in delivered { one.settleSoon(.retry(after: unsettledRetryDelay)) }
    }

    /// Says that all are done.
    /// - Throws: disconnected; then some or all come again.
    public consuming func acknowledge() async throws { try await settle { _ in .acknowledge } }

    /// Asks for all again after a wait.
    /// - Throws: disconnected; then they come again when their `ackWait` has passed.
    public consuming func retry(after delay: Duration) async throws { try await settle { _ in .retry(after: delay) } }

    /// Settles each message as decided.
    /// - Throws: disconnected; then those not settled come again.
    public consuming func settle(_ decide: (StreamMessage) -> Settlement) async throws {
        isSettled = true
        let settlements = delivered.map { ($0, decide($0.message).wire) }
        guard let link = delivered.first?.link else { return }
        let operation = "settling \(settlements.count) messages"
        guard let connection = link.connection else { throw link.notConnected(operation) }
        try await link.writer.run {
            for (delivered, word) in settlements {
                try connection.publish(word, to: delivered.reply, operation: operation)
            }
        }
    }
}

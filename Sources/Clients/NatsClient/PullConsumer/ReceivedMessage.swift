/// One delivery of a message, to be settled exactly once.
///
/// ``settle(_:)`` consumes it. Dropping an unsettled message means redelivery: it is negatively acknowledged with the
/// consumer's `unsettledRetryDelay`, and if that acknowledgement is lost, the server redelivers the message after its
/// `ackWait`.
public struct ReceivedMessage: ~Copyable, Sendable {
    /// The message's content, usable beyond its settlement.
    public let content: StreamMessage
    private let pending: PendingMessage
    private let unsettledRetryDelay: Duration
    private var isSettled = false

    init(_ pending: PendingMessage, unsettledRetryDelay: Duration) {
        content = pending.message
        self.pending = pending
        self.unsettledRetryDelay = unsettledRetryDelay
    }

    deinit {
        if !isSettled { pending.enqueueSettlement(.retry(after: unsettledRetryDelay)) }
    }

    /// Publishes the settlement, which the server does not confirm: if it is lost, the message is redelivered.
    /// - Throws: disconnected; the message is then redelivered when its `ackWait` has passed.
    public consuming func settle(_ settlement: Settlement) async throws {
        isSettled = true
        let pending = pending
        try await pending.settle(settlement)
    }
}

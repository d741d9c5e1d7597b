public import Foundation

/// One delivery of a message, to be settled exactly once.
///
/// ``acknowledge()``, ``retry(after:)`` or ``discard()`` settles and consumes it. Dropping an unsettled message means
/// redelivery: it is negatively acknowledged with the consumer's `unsettledRetryDelay`, and if that acknowledgement is
/// lost, the server redelivers the message after its `ackWait`.
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

    /// The subject it was published to.
    public var subject: String { content.subject }
    /// The bytes, possibly none.
    public var payload: [UInt8] { content.payload }
    /// The headers as they were published.
    public var headers: [String: String] { content.headers }
    /// The message's sequence number in the stream; the same at every delivery.
    public var streamSequence: UInt64 { content.streamSequence }
    /// The number of this delivery by the consumer.
    public var consumerSequence: UInt64 { content.consumerSequence }
    /// The number of deliveries, this one included.
    public var deliveryCount: Int { content.deliveryCount }
    /// When the stream stored it, by the server's clock.
    public var timestamp: Date { content.timestamp }

    /// Acknowledges the message.
    ///
    /// The server does not confirm: if the acknowledgement is lost, the message is redelivered.
    /// - Throws: disconnected; the message is then redelivered.
    public consuming func acknowledge() async throws { try await settle(.acknowledge) }

    /// Acknowledges it, and waits until the server has confirmed that.
    ///
    /// Even so it may be redelivered: an acknowledgement of an earlier delivery may have crossed this one.
    /// - Throws: disconnected or timed out; then it may be redelivered. Cancellation.
    public consuming func acknowledgeAndConfirm(timeout: Duration = .seconds(5)) async throws {
        isSettled = true
        let pending = pending
        _ = try await pending.transport.request(
            Settlement.acknowledge.wire, to: pending.reply, headers: [:], timeout: timeout,
            operation: pending.operation)
    }

    /// Requests its redelivery after a delay.
    /// - Throws: disconnected; then it is redelivered when its `ackWait` has passed.
    public consuming func retry(after delay: Duration) async throws { try await settle(.retry(after: delay)) }

    /// Terminates its delivery: it is never delivered to this consumer again.
    ///
    /// Keep a copy first.
    /// - Throws: disconnected; then it is redelivered.
    public consuming func discard() async throws { try await settle(.discard) }

    /// Settles it as decided elsewhere.
    /// - Throws: disconnected; then it is redelivered.
    public consuming func settle(_ settlement: Settlement) async throws {
        isSettled = true
        let pending = pending
        try await pending.settle(settlement)
    }
}

public import Foundation

/// One delivery of a message, to be settled exactly once.
///
/// It is settled by ``acknowledge()``, ``retry(after:)`` or ``discard()``, each of which uses it up. Dropping it
/// unsettled means redelivery: the server is then told to deliver it again after the consumer's
/// `unsettledRetryDelay`, and if that word gets lost, delivers it again when its `ackWait` has passed.
public struct ReceivedMessage: ~Copyable, Sendable {
    /// Everything about it, to keep beyond its settlement.
    public let content: StreamMessage
    private let delivered: Delivered
    private let unsettledRetryDelay: Duration
    private var isSettled = false

    init(_ delivered: Delivered, unsettledRetryDelay: Duration) {
        content = delivered.message
        self.delivered = delivered
        self.unsettledRetryDelay = unsettledRetryDelay
    }

    deinit {
        if !isSettled { delivered.settleSoon(.retry(after: unsettledRetryDelay)) }
    }

    /// The subject it was published to.
    public var subject: String { content.subject }
    /// The bytes, possibly none.
    public var payload: [UInt8] { content.payload }
    /// The headers as they were published.
    public var headers: [String: String] { content.headers }
    /// Its number in the stream; the same at every delivery.
    public var streamSequence: UInt64 { content.streamSequence }
    /// The number of this delivery by the consumer.
    public var consumerSequence: UInt64 { content.consumerSequence }
    /// How often it has been delivered, this time included.
    public var deliveryCount: Int { content.deliveryCount }
    /// When the stream stored it, by the server's clock.
    public var timestamp: Date { content.timestamp }

    /// Says that it is done.
    ///
    /// The server does not confirm: if the word gets lost, the message comes again.
    /// - Throws: disconnected; then it comes again.
    public consuming func acknowledge() async throws { try await settle(.acknowledge) }

    /// Says that it is done, and waits until the server has noted it.
    ///
    /// Even so it may come again: an acknowledgement of an earlier delivery may have crossed this one.
    /// - Throws: disconnected or timed out; then it may come again. Cancellation.
    public consuming func acknowledgeAndConfirm(timeout: Duration = .seconds(5)) async throws {
        isSettled = true
        let delivered = delivered
        _ = try await delivered.link.request(
            Settlement.acknowledge.wire, to: delivered.reply, headers: [:], timeout: timeout,
            operation: delivered.operation)
    }

    /// Asks for it again after a wait.
    /// - Throws: disconnected; then it comes again when its `ackWait` has passed.
    public consuming func retry(after delay: Duration) async throws { try await settle(.retry(after: delay)) }

    /// Says that it can never be done: it is not delivered to this consumer again.
    ///
    /// Keep a copy first.
    /// - Throws: disconnected; then it comes again.
    public consuming func discard() async throws { try await settle(.discard) }

    /// Settles it as decided elsewhere.
    /// - Throws: disconnected; then it comes again.
    public consuming func settle(_ settlement: Settlement) async throws {
        isSettled = true
        let delivered = delivered
        try await delivered.settle(settlement)
    }

    /// Asks for another `ackWait` to work on it.
    /// - Throws: disconnected.
    public borrowing func inProgress() async throws {
        let delivered = delivered
        try await delivered.link.publish(Array("+WPI".utf8), to: delivered.reply, operation: delivered.operation)
    }
}

internal import Logging
internal import ServiceLifecycle

/// Reads an existing durable consumer, as one of any number of replicas.
///
/// It never creates the consumer. While stream or consumer is missing it waits, logs a throttled warning, and resumes by
/// itself when they are created again or the server is back. Delivery is at least once: a message comes again until it is
/// acknowledged or discarded, possibly while an earlier delivery of it is still being worked on elsewhere.
///
/// Permissions it needs, for stream S and durable D: publish `$JS.API.CONSUMER.MSG.NEXT.S.D`,
/// `$JS.API.CONSUMER.INFO.S.D` and `$JS.ACK.S.D.>`; subscribe the configuration's `inboxPrefix` with `.>`.
public final class PullConsumer: Sendable {
    /// The stream it reads.
    public let stream: String
    /// The consumer's name.
    public let durable: String
    private let transport: ReconnectingConnection

    init(stream: String, durable: String, transport: ReconnectingConnection) {
        self.stream = stream
        self.durable = durable
        self.transport = transport
    }

    /// Processes messages in order of delivery, several at a time, until graceful shutdown or cancellation.
    ///
    /// An error from `body` is logged; the server redelivers its message after `unsettledRetryDelay`, unless `body`
    /// settled it. On graceful shutdown no new body starts, and running bodies have the configuration's `drainTimeout`
    /// to end before they are cancelled. No body runs when this returns or throws.
    /// - Parameters:
    ///   - batchMax: messages per pull request.
    ///   - inFlightMessagesMax: received and unsettled messages, and the number of concurrent bodies.
    ///   - progressInterval: how often a message that is held is reported as in progress, for its first five minutes;
    ///     less than half of the consumer's `ackWait`.
    /// - Throws: `CancellationError`; or a failure of the C library that no reconnect heals.
    public func forEach(
        batchMax: Int = 64, inFlightMessagesMax: Int = 64, unsettledRetryDelay: Duration = .seconds(1),
        progressInterval: Duration = .seconds(10),
        _ body: @escaping @Sendable (consuming ReceivedMessage) async throws -> Void
    ) async throws {
        let state = PullState(
            batchMax: batchMax, inFlightMessagesMax: inFlightMessagesMax, unitMessagesMax: 1,
            unitsMax: inFlightMessagesMax)
        try await run(state, progressInterval) { unit in
            guard let one = unit.first else { return }
            try await body(ReceivedMessage(one, unsettledRetryDelay: unsettledRetryDelay))
        }
    }

    /// Processes the gathered messages, one batch after the other, until graceful shutdown or cancellation.
    ///
    /// A batch contains the messages that arrived during the previous batch, without a wait for more: it is small in a
    /// quiet stream and grows under load. Otherwise as
    /// ``forEach(batchMax:inFlightMessagesMax:unsettledRetryDelay:progressInterval:_:)``.
    /// - Parameters:
    ///   - batchMax: messages in one batch.
    ///   - progressInterval: as for ``forEach(batchMax:inFlightMessagesMax:unsettledRetryDelay:progressInterval:_:)``.
    /// - Throws: `CancellationError`; or a failure of the C library that no reconnect heals.
    public func forEachBatch(
        batchMax: Int, unsettledRetryDelay: Duration = .seconds(1), progressInterval: Duration = .seconds(10),
        _ body: @escaping @Sendable (consuming ReceivedBatch) async throws -> Void
    ) async throws {
        // One batch gathers while the other is worked on.
        let state = PullState(
            batchMax: batchMax, inFlightMessagesMax: batchMax * 2, unitMessagesMax: batchMax, unitsMax: 1)
        try await run(state, progressInterval) { unit in
            try await body(ReceivedBatch(unit, unsettledRetryDelay: unsettledRetryDelay))
        }
    }

    private enum Ending {
        case finished
        case drainTimedOut
    }

    private func run(
        _ state: PullState, _ progressInterval: Duration,
        _ work: @escaping @Sendable ([PendingMessage]) async throws -> Void
    ) async throws {
        let puller = Puller(
            stream: stream, durable: durable, progressInterval: progressInterval, state: state, transport: transport)
        let drainTimeout = transport.configuration.drainTimeout
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Ending?.self) { group in
                group.addTask {
                    try await puller.run(work)
                    return .finished
                }
                group.addTask {
                    // Cancellation, of the caller or because all is finished, ends both waits.
                    do {
                        try await gracefulShutdown()
                        try await Task.sleep(for: drainTimeout)
                        return .drainTimedOut
                    } catch {
                        return nil
                    }
                }
                for try await ending in group {
                    if ending == .drainTimedOut {
                        self.transport.logger.warning(
                            "Cancelled work that did not end in time", metadata: self.metadata)
                    }
                    if ending != nil { group.cancelAll() }
                }
            }
        } onGracefulShutdown: {
            puller.stop()
        }
        try Task.checkCancellation()
    }

    private var metadata: Logger.Metadata { ["stream": "\(stream)", "durable": "\(durable)"] }
}

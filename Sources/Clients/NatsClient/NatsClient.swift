public import Logging
public import ServiceLifecycle

/// One process's client of the broker: publish, request, subscribe, and ``jetStream`` for data that must not be lost.
///
/// Run it as a service: it connects, retries without end while no server answers, and reconnects by itself after every
/// loss, with all subscriptions. A command-line tool may ``connect()`` and ``close()`` instead.
///
/// No method blocks a cooperative thread, and every wait has a bound.
public final class NatsClient: Service, Sendable {
    let transport: ReconnectingConnection

    /// A client that does nothing until ``run()`` or ``connect()``.
    public init(_ configuration: NatsConfiguration, logger: Logger) {
        transport = ReconnectingConnection(configuration, logger: logger)
    }

    /// JetStream, for data that must not be lost: streams, acknowledged publishing and durable consumers.
    public var jetStream: JetStream { JetStream(transport: transport) }

    /// True while there is a connection, which may break the moment after.
    public var isConnected: Bool { transport.connection != nil }

    /// A number that is another one after each reconnect; nil while there is no connection.
    package var connectionNumber: UInt64? { transport.connectionNumber }

    /// Callback contexts the C library holds for this client; zero soon after ``close()``.
    package var liveCallbackContexts: Int { transport.contexts.count }

    /// Makes a round trip to the server, for readiness.
    /// - Throws: disconnected, or timed out after `timeout`; cancellation at once.
    public func check(timeout: Duration = .seconds(2)) async throws {
        try await transport.flush(timeout: timeout, operation: "checking NATS")
    }

    /// Connects once, without reconnecting after a loss: for tests and tools that do not ``run()``.
    /// - Throws: disconnected when no server answers, authentication failed when one refuses.
    public func connect() async throws {
        if isConnected { return }
        _ = try await transport.open()
    }

    /// Flushes published messages, then ends the connection; pending requests fail as closed.
    public func close() async { await transport.close() }

    /// Sends a message to the present subscribers, without a confirmation.
    ///
    /// A header with an empty value is omitted.
    /// A refusal by the server's permissions arrives later: it is logged as an error and counted in
    /// `doorstep_nats_async_errors_total`.
    /// - Throws: disconnected, payload too large, invalid argument.
    public func publish(_ payload: [UInt8], to subject: String, headers: [String: String] = [:]) async throws {
        let operation = "publishing to \(subject)"
        try WireText.validate(subject: subject, operation: operation)
        try WireText.validate(headers: headers, operation: operation)
        try await transport.publish(payload, to: subject, headers: headers, operation: operation)
    }

    /// Sends a request and returns the first reply.
    ///
    /// Waits for a connection first, so `timeout` bounds each of the two waits. On cancellation it stops waiting at
    /// once; the request may have been received.
    /// - Throws: no responders, not permitted, disconnected, timed out; or cancellation.
    public func request(
        _ payload: [UInt8], to subject: String, headers: [String: String] = [:], timeout: Duration = .seconds(5)
    ) async throws -> NatsMessage {
        let operation = "requesting \(subject)"
        try WireText.validate(subject: subject, operation: operation)
        try WireText.validate(headers: headers, operation: operation)
        return try await transport.request(
            payload, to: subject, headers: headers, below: transport.answers, timeout: timeout, operation: operation)
    }

    /// Replies to a request.
    /// - Throws: invalid argument if the message is no request; disconnected.
    public func reply(to message: NatsMessage, payload: [UInt8], headers: [String: String] = [:]) async throws {
        guard let reply = message.reply else {
            throw NatsError(.invalidArgument, "it expects no reply", operation: "replying to \(message.subject)")
        }
        try await publish(payload, to: reply, headers: headers)
    }

    /// The subject's messages from now on, across reconnects; messages sent during a disconnection are lost.
    ///
    /// Returns once the server has the subscription, if there is a connection.
    /// - Parameters:
    ///   - queue: members of one queue group share the messages.
    ///   - bufferedMessagesMax: unread messages kept; beyond it the oldest is dropped and counted.
    /// - Throws: ``NatsError`` for an invalid subject, or where the subscription fails; `CancellationError`.
    public func subscribe(
        _ subject: String, queue: String? = nil, bufferedMessagesMax: Int = 1_024
    ) async throws -> NatsSubscription {
        let operation = "subscribing to \(subject)"
        try WireText.validate(subject: subject, operation: operation)
        let subscription = NatsSubscription(
            subject: subject, bufferedMessagesMax: bufferedMessagesMax, transport: transport)
        try await subscription.begin(queue: queue)
        if isConnected {
            try await transport.flush(timeout: transport.configuration.connectTimeout, operation: operation)
        }
        return subscription
    }
}

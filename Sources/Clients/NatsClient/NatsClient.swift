public import Logging
public import ServiceLifecycle

/// One process's way to the broker: publish, ask, subscribe, and ``jetStream`` for what must not get lost.
///
/// Run it as a service: it connects, keeps trying for ever while no server answers, and comes back by itself after
/// every loss, with all subscriptions. A command-line tool may ``connect()`` and ``close()`` instead.
///
/// No method blocks a cooperative thread, and every wait has a bound.
public final class NatsClient: Service, Sendable {
    let link: Link

    /// A client that does nothing until ``run()`` or ``connect()``.
    public init(_ configuration: NatsConfiguration, logger: Logger) {
        link = Link(configuration, logger: logger)
    }

    /// What must not get lost: streams, acknowledged publishing and durable consumers.
    public var jetStream: JetStream { JetStream(link: link) }

    /// True while there is a connection, which may break the moment after.
    public var isConnected: Bool { link.connection != nil }

    /// The version of the server last connected to, such as `2.9.10`, if it said so.
    public var serverVersion: String? { link.serverVersion }

    /// Callback contexts the C library holds for this client; zero soon after ``close()``.
    package var liveCallbackContexts: Int { link.contexts.count }

    /// Proves that the server answers, as readiness asks.
    /// - Throws: disconnected, or timed out after two seconds.
    public func check() async throws {
        try await link.flush(timeout: .seconds(2), operation: "checking NATS")
    }

    /// Connects once, without coming back after a loss: for tests and tools that do not ``run()``.
    /// - Throws: disconnected when no server answers, authentication failed when one refuses.
    public func connect() async throws {
        if isConnected { return }
        _ = try await link.open()
    }

    /// Writes out what was published, then ends the connection; whoever waits for an answer fails as closed.
    public func close() async { await link.close() }

    /// Sends a message to whoever listens now; nobody confirms it.
    ///
    /// A header with an empty value is left out.
    /// A refusal by the server's permissions arrives later: it is logged as an error and counted in
    /// `nats_async_errors_total`.
    /// - Throws: disconnected, payload too large, invalid argument.
    public func publish(_ payload: [UInt8], to subject: String, headers: [String: String] = [:]) async throws {
        let operation = "publishing to \(subject)"
        try WireText.validate(subject: subject, operation: operation)
        try WireText.validate(headers: headers, operation: operation)
        try await link.publish(payload, to: subject, headers: headers, operation: operation)
    }

    /// Asks, and gives the first answer.
    ///
    /// Waits for a connection first, so `timeout` bounds each of the two waits. On cancellation it stops waiting at
    /// once; the question may have been heard.
    /// - Throws: no responders, not permitted, disconnected, timed out; or cancellation.
    public func request(
        _ payload: [UInt8], to subject: String, headers: [String: String] = [:], timeout: Duration = .seconds(5)
    ) async throws -> NatsMessage {
        let operation = "asking \(subject)"
        try WireText.validate(subject: subject, operation: operation)
        try WireText.validate(headers: headers, operation: operation)
        return try await link.request(payload, to: subject, headers: headers, timeout: timeout, operation: operation)
    }

    /// Answers a request.
    /// - Throws: invalid argument if nobody asked; disconnected.
    public func reply(to message: NatsMessage, payload: [UInt8], headers: [String: String] = [:]) async throws {
        guard let reply = message.reply else {
            throw NatsError(.invalidArgument, "it asks for no answer", operation: "answering \(message.subject)")
        }
        try await publish(payload, to: reply, headers: headers)
    }

    /// The subject's messages from now on, across reconnects; those sent while disconnected are missed.
    ///
    /// Returns once the server knows, if there is a connection.
    /// - Parameters:
    ///   - queue: members of one queue group share the messages.
    ///   - bufferedMessagesMax: unread messages kept; beyond it the oldest is dropped and counted.
    public func subscribe(
        _ subject: String, queue: String? = nil, bufferedMessagesMax: Int = 1_024
    ) async throws -> NatsSubscription {
        let operation = "subscribing to \(subject)"
        try WireText.validate(subject: subject, operation: operation)
        let subscription = NatsSubscription(subject: subject, bufferedMessagesMax: bufferedMessagesMax, link: link)
        try await subscription.begin(queue: queue)
        if isConnected { try await link.flush(timeout: link.configuration.connectTimeout, operation: operation) }
        return subscription
    }
}

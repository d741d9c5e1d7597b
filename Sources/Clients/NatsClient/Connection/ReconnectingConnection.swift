internal import DeclaredMetrics
internal import Logging
internal import Metrics
internal import Synchronization

/// A connection to the broker across reconnects: the present TCP connection, the subscriptions and the pending requests.
final class ReconnectingConnection: Sendable {
    /// Covers a round trip to the server and the handling of delivered messages; far longer than either.
    private static let subscriptionDrainTimeout = Duration.seconds(2)

    private struct ActiveSubscription {
        var subject: String
        var queue: String?
        var receiver: MessageReceiver
        var handle: Connection.Subscription?
    }

    private struct State {
        var connection: Connection?
        /// The attempt that the present connection came from, so that the end of an older one changes nothing.
        var attempt: UInt64 = 0
        var attemptHasEnded = false
        var subscribed: [UInt64: ActiveSubscription] = [:]
        var lastID = ReconnectingConnection.answersID
    }

    let configuration: NatsConfiguration
    let logger: Logger
    /// The server's replies and messages arrive below it, each on its own token; unique to this client.
    let inbox: String
    /// Other clients' replies arrive below it, each on its own token; unique to this client.
    let answers: String
    let replies: PendingReplies
    let contexts = LiveContexts()
    /// Publishes, in the order they were asked for.
    let writer = BlockingQueue(label: "nats.writer")
    /// Connects, subscribes and closes, one at a time.
    private let control = BlockingQueue(label: "nats.control")
    /// Round trips to the server, which wait long when it stalls.
    private let probe = BlockingQueue(label: "nats.probe")
    private let connectionWaiters: PendingReplies
    private let state = Mutex(State())
    /// The id of the subscription to the server's replies.
    private static let inboxID: UInt64 = 0
    /// The id of the subscription to other clients' replies; ``nextID()`` begins above it.
    private static let answersID: UInt64 = 1

    init(_ configuration: NatsConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        inbox = "\(configuration.inboxPrefix ?? "_INBOX").\(token)"
        answers = configuration.answersPrefix.map { "\($0).\(token)" } ?? inbox
        replies = PendingReplies(entriesMax: configuration.requestsPendingMax)
        connectionWaiters = PendingReplies(entriesMax: configuration.requestsPendingMax)
    }

    var connection: Connection? { state.withLock { $0.connection } }

    /// A number that no other connection of this client has; nil without a connection.
    var connectionNumber: UInt64? { state.withLock { $0.connection == nil ? nil : $0.attempt } }

    /// A number no other part of this client uses, for subjects of its own.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    // MARK: Connecting

    /// Connects once and restores every subscription.
    /// - Returns: a sequence that ends with the connection.
    func open() async throws -> AsyncStream<Never> {
        let (ended, continuation) = AsyncStream.makeStream(of: Never.self)
        let attempt = nextID()
        let events = ConnectionEvents(
            live: contexts,
            failed: { [weak self] error in self?.serverReported(error) },
            ended: { [weak self] in
                self?.connectionEnded(attempt)
                continuation.finish()
            })
        try await control.run { [self] in
            state.withLock { state in
                state.attempt = attempt
                state.attemptHasEnded = false
            }
            let connection = try Connection(configuration, events: events)
            do {
                try restoreSubscriptions(on: connection)
                try adopt(connection)
            } catch {
                connection.close()
                throw error
            }
        }
        connectionWaiters.completeAll(with: NatsMessage(subject: "", payload: []))
        return ended
    }

    /// Flushes queued messages, waits for the server's confirmation, and ends the connection.
    func close() async {
        let timeout = configuration.drainTimeout
        await writer.perform {}
        // A flush is best effort: a broken connection is closed in any case.
        if let connection { try? await probe.run { try connection.flush(timeout: timeout) } }
        await control.perform { [self] in
            connection?.close()
            state.withLock { state in
                state.connection = nil
                for id in state.subscribed.keys { state.subscribed[id]?.handle = nil }
            }
        }
        replies.failAll(.closed, "the client was closed")
        connectionWaiters.failAll(.closed, "the client was closed")
    }

    /// Returns at once when connected, else as soon as it is.
    /// - Throws: disconnected after `timeout`, or cancellation.
    func waitUntilConnected(within timeout: Duration, operation: String) async throws {
        if connection != nil { return }
        do {
            _ = try await connectionWaiters.wait(subject: "", operation: operation, timeout: timeout) { [self] token in
                // It may have connected between the check and the wait.
                if connection != nil {
                    connectionWaiters.complete(token, with: .success(NatsMessage(subject: "", payload: [])))
                }
            }
        } catch let error as NatsError where error.code == .timedOut {
            throw notConnected(operation)
        }
    }

    /// A round trip to the server; on cancellation the wait ends at once.
    func flush(timeout: Duration, operation: String) async throws {
        guard let connection else { throw notConnected(operation) }
        try await probe.runUntilCancelled { try connection.flush(timeout: timeout) }
    }

    func notConnected(_ operation: String) -> NatsError {
        NatsError(.disconnected, "there is no connection to \(configuration)", operation: operation)
    }

    /// Makes it the present connection, unless it has broken meanwhile.
    private func adopt(_ connection: Connection) throws(NatsError) {
        let isAlive = state.withLock { state in
            guard !state.attemptHasEnded else { return false }
            state.connection = connection
            return true
        }
        guard isAlive else { throw notConnected("connecting") }
    }

    private func connectionEnded(_ attempt: UInt64) {
        let isPresent = state.withLock { state in
            guard state.attempt == attempt else { return false }
            state.attemptHasEnded = true
            state.connection = nil
            for id in state.subscribed.keys { state.subscribed[id]?.handle = nil }
            return true
        }
        guard isPresent else { return }
        replies.failAll(.disconnected, "the connection ended before the reply")
    }

    // MARK: Subscribing

    /// Delivers the subject's messages to `receiver` on this and every later connection.
    /// - Returns: the id for ``unsubscribe(_:)``.
    func subscribe(_ subject: String, queue: String?, receiver: MessageReceiver) async throws -> UInt64 {
        let id = nextID()
        try await control.run { [self] in try keep(subject, queue: queue, receiver: receiver, as: id) }
        return id
    }

    /// Subscribes to the replies below the inbox or the answers, once: a client that requests nothing needs no permission
    /// for it.
    func awaitReplies(below prefix: String) async throws {
        let id = prefix == inbox ? Self.inboxID : Self.answersID
        if state.withLock({ $0.subscribed[id] }) != nil { return }
        try await control.run { [self] in
            guard state.withLock({ $0.subscribed[id] }) == nil else { return }
            let replies = replies
            let tokenStart = prefix.utf8.count + 1
            let receiver = MessageReceiver(live: contexts) { message in
                guard let token = UInt64(Substring(message.subject.utf8.dropFirst(tokenStart))) else { return }
                replies.complete(token, with: .success(message))
            }
            try keep("\(prefix).*", queue: nil, receiver: receiver, as: id)
        }
    }

    /// Subscribes on the present connection, if there is one, and on every later one; runs on `control`.
    private func keep(_ subject: String, queue: String?, receiver: MessageReceiver, as id: UInt64) throws {
        var subscribed = ActiveSubscription(subject: subject, queue: queue, receiver: receiver, handle: nil)
        do throws(NatsError) {
            if let connection { subscribed.handle = try attach(subscribed, to: connection) }
        } catch {
            // A connection that just broke accepts nothing; the next one restores all subscriptions.
            guard error.code == .disconnected else { throw error }
        }
        state.withLock { [subscribed] in $0.subscribed[id] = subscribed }
    }

    /// Stops feeding the receiver; messages in flight may be lost.
    func unsubscribe(_ id: UInt64) {
        control.enqueue { [self] in
            // Dropped outside of the lock, because unsubscribing writes to the socket.
            _ = state.withLock { $0.subscribed.removeValue(forKey: id) }
        }
    }

    /// Stops feeding the receiver once it has had every message in flight.
    func drain(_ id: UInt64) async {
        await control.perform { [self] in
            state.withLock { $0.subscribed.removeValue(forKey: id) }?.handle?.drain(
                timeout: Self.subscriptionDrainTimeout)
        }
    }

    private func restoreSubscriptions(on connection: Connection) throws {
        for (id, subscribed) in state.withLock({ $0.subscribed }) {
            let handle = try attach(subscribed, to: connection)
            state.withLock { $0.subscribed[id]?.handle = handle }
        }
    }

    private func attach(_ subscribed: ActiveSubscription, to connection: Connection) throws(NatsError)
        -> Connection.Subscription
    {
        try connection.subscribe(
            subscribed.subject, queue: subscribed.queue, bytesPendingMax: configuration.subscriptionBytesPendingMax,
            receiver: subscribed.receiver)
    }

    // MARK: Errors reported by the server

    private func serverReported(_ error: NatsError) {
        NatsMetrics.asyncErrors.counter([("code", error.code.rawValue)]).increment()
        if let subject = Self.refusedSubject(in: error.message) {
            logger.error(
                "NATS refused a subject: this user's permissions do not cover it",
                metadata: ["subject": "\(subject)", "reason": "\(error.message)"])
            replies.failAll(refusedSubject: subject, error.message)
        } else {
            logger.warning("NATS reported a failure", metadata: ["reason": "\(error)"])
        }
    }

    /// The subject in `Permissions Violation for Publish to "orders.x"`.
    static func refusedSubject(in text: String) -> String? {
        guard text.lowercased().contains("permissions violation") else { return nil }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count >= 3 ? String(parts[1]) : nil
    }
}

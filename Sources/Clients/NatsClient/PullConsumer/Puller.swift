internal import DeclaredMetrics
internal import FlowControl
internal import Logging
internal import Metrics
internal import Synchronization

/// One run of a pull consumer: performs what ``PullState`` decides.
final class Puller: Sendable {
    private typealias PullEnd = PullState.PullEnd

    /// The time for which the server keeps a pull request open.
    private static let pullExpiry = Duration.seconds(30)
    /// The interval of idle heartbeats on an open pull request.
    private static let heartbeat = Duration.seconds(1)
    /// Time without message or heartbeat after which a pull counts as lost.
    private static let heartbeatTimeout = Duration.milliseconds(2_500)
    private static let warningInterval = Duration.seconds(30)
    /// After this time a message is no longer reported as in progress, so that the server redelivers a message whose
    /// work hangs.
    private static let progressReportedMax = Duration.seconds(300)

    private let stream: String
    private let durable: String
    private let progressInterval: Duration
    private let transport: ReconnectingConnection
    private let state: Mutex<PullState>
    private let warnings = Mutex(LogThrottle(every: Puller.warningInterval))
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let inbox: String

    init(
        stream: String, durable: String, progressInterval: Duration, state: PullState,
        transport: ReconnectingConnection
    ) {
        self.stream = stream
        self.durable = durable
        self.progressInterval = progressInterval
        self.transport = transport
        self.state = Mutex(state)
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        inbox = "\(transport.inbox).pull\(transport.nextID())"
    }

    /// Works until stopped or cancelled, and until all work has ended.
    func run(_ work: @escaping @Sendable ([PendingMessage]) async throws -> Void) async throws {
        let receiver = MessageReceiver(live: transport.contexts) { [weak self] in self?.arrived($0) }
        let subscription = try await transport.subscribe(inbox, queue: nil, receiver: receiver)
        reportProgressLater()
        await withDiscardingTaskGroup { group in
            changed.yield()
            for await _ in changes {
                act(in: &group, work)
                if state.withLock({ $0.isStopped }) { break }
            }
            releaseWaiting()
            // Messages that the server sent meanwhile are released too, or they would be redelivered only after their
            // ackWait.
            await transport.drain(subscription)
        }
        await transport.writer.perform {}
        state.withLock { $0.presentToken }.map(transport.replies.forget)
    }

    /// Pulls no more messages; ``run(_:)`` returns when the running work has ended.
    func stop() {
        releaseWaiting()
        changed.yield()
    }

    private func releaseWaiting() {
        for message in state.withLock({ $0.stop() }) { message.enqueueSettlement(.retry(after: .zero)) }
    }

    private func act(
        in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable ([PendingMessage]) async throws -> Void
    ) {
        while true {
            switch state.withLock({ $0.nextAction() }) {
            case .wait: return
            case .pull(let count, let id): pull(count, id)
            case .checkConsumer: group.addTask { await self.checkConsumer() }
            case .start(let unit, let id):
                group.addTask {
                    do {
                        try await work(unit)
                    } catch {
                        self.workFailed(error, unit)
                    }
                    self.state.withLock { $0.unitEnded(id) }
                    self.changed.yield()
                }
            }
        }
    }

    private func workFailed(_ error: any Error, _ unit: [PendingMessage]) {
        NatsMetrics.failedMessages.counter([("durable", durable)]).increment(by: unit.count)
        guard !(error is CancellationError) else { return }
        var metadata = metadata
        metadata["stream_sequence"] = "\(unit.first?.message.streamSequence ?? 0)"
        metadata["messages"] = "\(unit.count)"
        metadata["reason"] = "\(error)"
        // A message that could not be settled because the connection broke is redelivered: the message is not faulty.
        let isDisconnected = (error as? NatsError)?.code == .disconnected
        transport.logger.log(level: isDisconnected ? .info : .error, "Work on a message failed", metadata: metadata)
    }

    // MARK: Progress

    private func reportProgressLater() {
        transport.writer.enqueue(after: progressInterval) { [weak self] in
            self?.reportProgress()
            self?.reportProgressLater()
        }
    }

    /// Keeps the server from redelivering this process's messages: second copies would slow down a slow process
    /// further.
    private func reportProgress() {
        guard let connection = transport.connection else { return }
        let now = ContinuousClock.now
        for message in state.withLock({ $0.held(arrivedIn: now - Self.progressReportedMax...now - progressInterval) }) {
            // Without the report the server redelivers the message after `ackWait`, and its handler compares versions.
            try? connection.publish(
                PendingMessage.inProgress, to: message.reply, operation: "reporting \(message.operation)")
        }
    }

    // MARK: Pulling

    private func pull(_ count: Int, _ id: UInt64) {
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(durable)"
        let operation = "pulling from \(durable) of stream \(stream)"
        let request = """
            {"batch":\(count),"expires":\(Self.pullExpiry.nanoseconds),"idle_heartbeat":\(Self.heartbeat.nanoseconds)}
            """
        do throws(NatsError) {
            let waiting = try transport.replies.add(
                subject: subject, operation: operation, timeout: Self.heartbeatTimeout
            ) { [weak self] outcome in
                guard case .failure(let error) = outcome else { return }
                self?.pullEnded(id, error.code == .timedOut ? .heartbeatMissed : .broken(error.message))
            }
            state.withLock { $0.pullBegan(id, token: waiting) }
        } catch {
            pullEnded(id, .broken(error.message))
            return
        }
        transport.writer.enqueue { [self] in
            guard !state.withLock(\.isStopped) else { return }
            do throws(NatsError) {
                guard let connection = transport.connection else { throw transport.notConnected(operation) }
                try connection.publish(Array(request.utf8), to: subject, reply: inbox, operation: operation)
            } catch {
                pullEnded(id, .broken(error.message))
            }
        }
    }

    private func arrived(_ message: NatsMessage) {
        if let status = message.serverStatus {
            statusReceived(status, message.headers["Description"] ?? "")
        } else if let pending = PendingMessage(message, at: .now, transport: transport) {
            let (isAccepted, token) = state.withLock { $0.arrived(pending) }
            if !isAccepted { pending.enqueueSettlement(.retry(after: .zero)) }
            token.map(transport.replies.forget)
            heartbeatReceived()
            recovered()
            changed.yield()
        }
    }

    private func statusReceived(_ status: String, _ description: String) {
        switch status {
        case "100":
            recovered()
            heartbeatReceived()
        case "404", "408":
            recovered()
            pullEnded(nil, .expired)
        default: pullEnded(nil, .broken("\(status) \(description)"))
        }
    }

    private func heartbeatReceived() {
        if let token = state.withLock({ $0.presentToken }) {
            transport.replies.postpone(token, by: Self.heartbeatTimeout)
        }
    }

    private func pullEnded(_ id: UInt64?, _ end: PullEnd) {
        guard let (delay, token) = state.withLock({ $0.pullEnded(id, end) }) else { return }
        token.map(transport.replies.forget)
        if case .broken(let reason) = end, transport.connection != nil { warn(reason) }
        continuePulling(after: delay)
    }

    private func checkConsumer() async {
        var exists: Bool?
        do {
            exists = try await JetStream(transport: transport).consumerInfo(stream: stream, durable: durable) != nil
            if exists == false { warn("the consumer does not exist") }
        } catch {
            // Without permission to read the consumer's info, the next pull shows whether it exists.
            if transport.connection != nil { warn("\(error)") }
        }
        continuePulling(after: state.withLock { [exists] in $0.consumerChecked(exists: exists) })
    }

    private func continuePulling(after delay: Duration) {
        guard delay > .zero else {
            changed.yield()
            return
        }
        transport.writer.enqueue(after: delay) { [weak self] in
            self?.state.withLock { $0.backOffEnded() }
            self?.changed.yield()
        }
    }

    // MARK: Logging

    private func warn(_ reason: String) {
        guard warnings.withLock({ $0.isDue(at: .now) }) else { return }
        var metadata = metadata
        metadata["reason"] = "\(reason)"
        transport.logger.warning("Waiting for a stream and its consumer; both must exist", metadata: metadata)
    }

    private func recovered() {
        guard warnings.withLock({ $0.reset() }) else { return }
        transport.logger.info("The consumer delivers again", metadata: metadata)
    }

    private var metadata: Logger.Metadata { ["stream": "\(stream)", "durable": "\(durable)"] }
}

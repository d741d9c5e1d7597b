internal import Foundation
internal import Logging
internal import Metrics
internal import Synchronization

/// One run of a pull consumer: does what ``PullState`` decides.
final class Puller: Sendable {
    private typealias PullEnd = PullState.PullEnd

    /// How long the server keeps a pull open.
    private static let pullExpiry = Duration.seconds(30)
    /// How often the server shows that it has a quiet pull in mind.
    private static let heartbeat = Duration.seconds(1)
    /// Silence after which a pull counts as lost.
    private static let silenceMax = Duration.milliseconds(2_500)
    private static let complaintInterval = Duration.seconds(30)

    private let stream: String
    private let durable: String
    private let link: Link
    private let state: Mutex<PullState>
    private let complaints = Mutex(RareComplaints(every: Puller.complaintInterval))
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let inbox: String

    init(stream: String, durable: String, state: PullState, link: Link) {
        self.stream = stream
        self.durable = durable
        self.link = link
        self.state = Mutex(state)
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        inbox = "\(link.inbox).pull\(link.nextID())"
    }

    /// Works until stopped or cancelled, and until all work has ended.
    func run(_ work: @escaping @Sendable ([Delivered]) async throws -> Void) async throws {
        let receiver = MessageReceiver(live: link.contexts) { [weak self] in self?.arrived($0) }
        let subscription = try await link.subscribe(inbox, queue: nil, receiver: receiver)
        await withDiscardingTaskGroup { group in
            changed.yield()
            for await _ in changes {
                act(in: &group, work)
                if state.withLock({ $0.isStopped }) { break }
            }
            giveBack()
            // What the server sent before it knew is given back too, or it would come again only after its wait.
            await link.drain(subscription)
        }
        try? await link.writer.run {}
        state.withLock { $0.presentToken }.map(link.replies.forget)
    }

    /// Takes nothing new; ``run(_:)`` returns when the work at hand has ended.
    func stop() {
        giveBack()
        changed.yield()
    }

    private func giveBack() {
        for delivered in state.withLock({ $0.stop() }) { delivered.settleSoon(.retry(after: .zero)) }
    }

    private func act(
        in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable ([Delivered]) async throws -> Void
    ) {
        while true {
            switch state.withLock({ $0.nextAction() }) {
            case .wait: return
            case .pull(let count, let id): pull(count, id)
            case .look: group.addTask { await self.look() }
            case .start(let unit):
                group.addTask {
                    do {
                        try await work(unit)
                    } catch {
                        self.workFailed(error, unit)
                    }
                    self.state.withLock { $0.unitEnded(messages: unit.count) }
                    self.changed.yield()
                }
            }
        }
    }

    private func workFailed(_ error: any Error, _ unit: [Delivered]) {
        Counter(label: "nats_messages_failed_total", dimensions: [("durable", durable)]).increment(by: unit.count)
        guard !(error is CancellationError) else { return }
        var metadata = metadata
        metadata["stream_sequence"] = "\(unit.first?.message.streamSequence ?? 0)"
        metadata["messages"] = "\(unit.count)"
        metadata["reason"] = "\(error)"
        link.logger.error("Work on a message failed", metadata: metadata)
    }

    // MARK: Asking

    private func pull(_ count: Int, _ id: UInt64) {
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(durable)"
        let operation = "pulling from \(durable) of stream \(stream)"
        let question = """
            {"batch":\(count),"expires":\(Self.pullExpiry.nanoseconds),"idle_heartbeat":\(Self.heartbeat.nanoseconds)}
            """
        do throws(NatsError) {
            let waiting = try link.replies.add(
                subject: subject, operation: operation, timeout: Self.silenceMax
            ) { [weak self] outcome in
                guard case .failure(let error) = outcome else { return }
                self?.pullEnded(id, error.code == .timedOut ? .silent : .broken(error.message))
            }
            state.withLock { $0.pullBegan(id, token: waiting) }
        } catch {
            pullEnded(id, .broken(error.message))
            return
        }
        link.writer.enqueue { [self] in
            guard !state.withLock(\.isStopped) else { return }
            do throws(NatsError) {
                guard let connection = link.connection else { throw link.notConnected(operation) }
                try connection.publish(Array(question.utf8), to: subject, reply: inbox, operation: operation)
            } catch {
                pullEnded(id, .broken(error.message))
            }
        }
    }

    private func arrived(_ message: NatsMessage) {
        if let status = message.serverStatus {
            serverSaid(status, message.headers["Description"] ?? "")
        } else if let delivered = Delivered(message, link: link) {
            let (isAccepted, token) = state.withLock { $0.arrived(delivered) }
            if !isAccepted { delivered.settleSoon(.retry(after: .zero)) }
            token.map(link.replies.forget)
            signOfLife()
            recovered()
            changed.yield()
        }
    }

    private func serverSaid(_ status: String, _ description: String) {
        switch status {
        case "100":
            recovered()
            signOfLife()
        case "404", "408":
            recovered()
            pullEnded(nil, .expired)
        default: pullEnded(nil, .broken("\(status) \(description)"))
        }
    }

    private func signOfLife() {
        if let token = state.withLock({ $0.presentToken }) { link.replies.postpone(token, by: Self.silenceMax) }
    }

    private func pullEnded(_ id: UInt64?, _ end: PullEnd) {
        guard let (delay, token) = state.withLock({ $0.pullEnded(id, end) }) else { return }
        token.map(link.replies.forget)
        if case .broken(let reason) = end, link.connection != nil { complain(reason) }
        goOn(after: delay)
    }

    private func look() async {
        var exists: Bool?
        do {
            exists = try await JetStream(link: link).consumerInfo(stream: stream, durable: durable) != nil
            if exists == false { complain("it does not exist") }
        } catch {
            // Whoever may not look, or cannot, finds out by pulling.
            if link.connection != nil { complain("\(error)") }
        }
        goOn(after: state.withLock { [exists] in $0.looked(exists) })
    }

    private func goOn(after delay: Duration) {
        guard delay > .zero else {
            changed.yield()
            return
        }
        link.writer.enqueue(after: delay) { [weak self] in
            self?.state.withLock { $0.backOffEnded() }
            self?.changed.yield()
        }
    }

    // MARK: Saying so

    private func complain(_ reason: String) {
        guard complaints.withLock({ $0.isDue(at: .now) }) else { return }
        var metadata = metadata
        metadata["reason"] = "\(reason)"
        link.logger.warning("Waiting for a stream and its consumer; both must exist", metadata: metadata)
    }

    private func recovered() {
        guard complaints.withLock({ $0.reset() }) else { return }
        link.logger.info("The consumer delivers again", metadata: metadata)
    }

    private var metadata: Logger.Metadata { ["stream": "\(stream)", "durable": "\(durable)"] }
}

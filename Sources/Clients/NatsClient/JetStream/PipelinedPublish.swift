internal import Synchronization

/// One call's messages in flight: a window of unacknowledged ones that moves as acknowledgements arrive.
final class PipelinedPublish: Sendable {
    private struct State {
        var results: [Result<PublishAck, NatsError>?]
        var next = 0
        var unacknowledged = 0
        var missing: Int
        /// Set once no further message is to be sent.
        var stop: NatsError?
        var isSending = false
        var finish: (@Sendable ([Result<PublishAck, NatsError>]) -> Void)?
    }

    private let messages: [OutgoingMessage]
    private let deadline: ContinuousClock.Instant
    private let pendingAcksMax: Int
    private let transport: ReconnectingConnection
    private let state: Mutex<State>

    init(_ messages: [OutgoingMessage], timeout: Duration, pendingAcksMax: Int, transport: ReconnectingConnection) {
        self.messages = messages
        self.pendingAcksMax = max(1, pendingAcksMax)
        self.transport = transport
        deadline = .now + timeout
        state = Mutex(State(results: Array(repeating: nil, count: messages.count), missing: messages.count))
    }

    /// Sends everything; one result per message, in order.
    func results() async -> [Result<PublishAck, NatsError>] {
        do {
            try await transport.awaitReplies(below: transport.inbox)
        } catch {
            let failure = error as? NatsError ?? NatsError(.closed, "\(error)", operation: "publishing")
            return messages.map { _ in .failure(failure) }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.finish = { continuation.resume(returning: $0) } }
                // A task that was cancelled before has its results already.
                finishIfComplete()
                transport.writer.enqueue { self.sendWindow() }
            }
        } onCancel: {
            stop(NatsError(.closed, "the task was cancelled", operation: "publishing"))
        }
    }

    /// Sends until the window is full; runs on the writer, one at a time.
    private func sendWindow() {
        while let index = takeNext() {
            let message = messages[index]
            do throws(NatsError) {
                try send(message, index)
            } catch {
                settle(index, .failure(error))
                if error.code == .disconnected { stop(error) }
            }
        }
    }

    private func takeNext() -> Int? {
        state.withLock { state in
            state.isSending = false
            guard state.stop == nil, state.next < messages.count, state.unacknowledged < pendingAcksMax else {
                return nil
            }
            defer {
                state.next += 1
                state.unacknowledged += 1
                state.isSending = true
            }
            return state.next
        }
    }

    private func send(_ message: OutgoingMessage, _ index: Int) throws(NatsError) {
        let operation = message.operation
        try message.validate()
        guard let connection = transport.connection else { throw transport.notConnected(operation) }
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero else { throw NatsError(.timedOut, "no time left to send it", operation: operation) }
        let token = try transport.replies.add(subject: message.subject, operation: operation, timeout: remaining) {
            answer in
            self.settle(
                index,
                answer.flatMap { answer in
                    Result { () throws(NatsError) in
                        try PublishAck.decode(answer, to: message.subject, operation: operation)
                    }
                })
        }
        do throws(NatsError) {
            try connection.publish(
                message.payload, to: message.subject, reply: "\(transport.inbox).\(token)",
                headers: message.wireHeaders,
                operation: operation)
        } catch {
            transport.replies.forget(token)
            throw error
        }
    }

    /// Records the result of a message that was sent, and moves the window.
    private func settle(_ index: Int, _ result: Result<PublishAck, NatsError>) {
        let resumesSending = state.withLock { state in
            guard state.results[index] == nil else { return false }
            state.results[index] = result
            state.missing -= 1
            state.unacknowledged -= 1
            let hasRoom = state.unacknowledged <= pendingAcksMax / 2 && state.next < messages.count
            guard hasRoom, !state.isSending, state.stop == nil else { return false }
            state.isSending = true
            return true
        }
        if case .failure(let error) = result, error.code == .disconnected { stop(error) }
        if resumesSending { transport.writer.enqueue { self.sendWindow() } }
        finishIfComplete()
    }

    /// Fails everything that has no result yet.
    private func stop(_ error: NatsError) {
        state.withLock { state in
            guard state.stop == nil else { return }
            state.stop = error
            for index in state.results.indices where state.results[index] == nil {
                state.results[index] = .failure(
                    NatsError(error.code, error.message, operation: messages[index].operation))
            }
            state.missing = 0
        }
        finishIfComplete()
    }

    private func finishIfComplete() {
        let finished = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.missing == 0, let finish = state.finish.take() else { return nil }
            let results = state.results.compactMap { $0 }
            return { finish(results) }
        }
        finished?()
    }
}

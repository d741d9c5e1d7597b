internal import Synchronization

/// Every request that waits for a reply, each with a deadline; every entry is completed exactly once.
final class PendingReplies: Sendable {
    typealias Completion = @Sendable (Result<NatsMessage, NatsError>) -> Void

    private struct Entry {
        /// The request's subject; a permission error for this subject fails the entry.
        var subject: String
        var operation: String
        var deadline: ContinuousClock.Instant
        var completion: Completion
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastToken: UInt64 = 0
        var isSweeping = false
    }

    /// The largest delay in the detection of a time-out.
    private static let sweepInterval = Duration.milliseconds(50)

    private let entriesMax: Int
    private let timers = BlockingQueue(label: "nats.timeouts")
    private let state = Mutex(State())

    init(entriesMax: Int) { self.entriesMax = entriesMax }

    /// Starts waiting; the reply is matched by the returned token.
    /// - Throws: overloaded above the limit of pending requests.
    func add(
        subject: String, operation: String, timeout: Duration, completion: @escaping Completion
    ) throws(NatsError) -> UInt64 {
        let deadline = ContinuousClock.now + timeout
        let (token, startsSweeping) = state.withLock { state -> (UInt64?, Bool) in
            guard state.entries.count < entriesMax else { return (nil, false) }
            state.lastToken += 1
            state.entries[state.lastToken] = Entry(
                subject: subject, operation: operation, deadline: deadline, completion: completion)
            defer { state.isSweeping = true }
            return (state.lastToken, !state.isSweeping)
        }
        guard let token else {
            throw NatsError(.overloaded, "\(entriesMax) requests wait already", operation: operation)
        }
        if startsSweeping { scheduleSweep() }
        return token
    }

    /// Ends one wait; does nothing if it has ended already.
    func complete(_ token: UInt64, with result: Result<NatsMessage, NatsError>) {
        state.withLock { $0.entries.removeValue(forKey: token) }?.completion(result)
    }

    /// Moves the deadline to `timeout` from now.
    func postpone(_ token: UInt64, by timeout: Duration) {
        let deadline = ContinuousClock.now + timeout
        state.withLock { $0.entries[token]?.deadline = deadline }
    }

    /// Removes the entry without calling its completion.
    func forget(_ token: UInt64) { _ = state.withLock { $0.entries.removeValue(forKey: token) } }

    /// Completes every entry with the same message.
    func completeAll(with message: NatsMessage) {
        for entry in removeAll(where: { _ in true }) { entry.completion(.success(message)) }
    }

    /// Fails every entry, after the loss of the connection.
    func failAll(_ code: NatsError.Code, _ message: String) {
        fail(code, message) { _ in true }
    }

    /// Fails the requests to a subject that the server refused.
    func failAll(refusedSubject: String, _ message: String) {
        fail(.notPermitted, message) { $0.subject == refusedSubject }
    }

    private func fail(_ code: NatsError.Code, _ message: String, where isConcerned: (Entry) -> Bool) {
        for entry in removeAll(where: isConcerned) {
            entry.completion(.failure(NatsError(code, message, operation: entry.operation)))
        }
    }

    private func removeAll(where isConcerned: (Entry) -> Bool) -> [Entry] {
        state.withLock { state in
            let tokens = state.entries.filter { isConcerned($0.value) }.map(\.key)
            return tokens.compactMap { state.entries.removeValue(forKey: $0) }
        }
    }

    private func scheduleSweep() {
        timers.enqueue(after: Self.sweepInterval) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = ContinuousClock.now
        fail(.timedOut, "no reply in time") { $0.deadline <= now }
        let continues = state.withLock { state in
            state.isSweeping = !state.entries.isEmpty
            return state.isSweeping
        }
        if continues { scheduleSweep() }
    }
}

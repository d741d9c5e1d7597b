internal import Synchronization

/// Reads that concurrent callers with one key share: each runs once, and its answer is kept for a time.
///
/// The first caller runs the read, and the others wait for it. Where the first one's task is cancelled, the next of them
/// runs it again.
package final class SharedReads<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
    private enum Read {
        case running([CheckedContinuation<Answer?, Never>])
        case ended(Answer, begunAt: ContinuousClock.Instant)

        var isRunning: Bool { waiters != nil }

        /// Nil after the read's end.
        var waiters: [CheckedContinuation<Answer?, Never>]? {
            if case .running(let waiters) = self { waiters } else { nil }
        }
    }

    /// A caller's next step.
    private enum Turn {
        case reuse(Answer)
        case run
        case wait
    }

    /// Keys whose answers are kept.
    private let keysMax: Int
    private let keptFor: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let reads = Mutex<[Key: Read]>([:])

    /// - Parameter keptFor: wall time since the read's beginning for which later callers get its answer; zero for those
    ///   alone that wait for it.
    package init(
        keysMax: Int, keptFor: Duration = .zero, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.keysMax = keysMax
        self.keptFor = keptFor
        self.now = now
    }

    /// The answer of the caller's read, or of another caller's with the same key.
    ///
    /// - Parameter isKept: whether later callers get the answer too.
    package func answer(
        of key: Key, keepingWhere isKept: @Sendable (Answer) -> Bool = { _ in true }, read: @Sendable () async -> Answer
    ) async -> Answer {
        while true {
            switch reads.withLock({ turn(of: key, in: &$0) }) {
            case .reuse(let answer): return answer
            case .run:
                let begunAt = now()
                let answer = await read()
                end(key, with: Task.isCancelled ? nil : answer, begunAt: begunAt, isKept: isKept(answer))
                return answer
            case .wait:
                if let answer = await outcome(of: key) { return answer }
            }
        }
    }

    /// The number of callers that wait for another's read of a key.
    package func waiting(for key: Key) -> Int { reads.withLock { $0[key]?.waiters?.count ?? 0 } }

    private func turn(of key: Key, in reads: inout [Key: Read]) -> Turn {
        switch reads[key] {
        case .running?: return .wait
        case .ended(let answer, let begunAt)? where now() - begunAt < keptFor: return .reuse(answer)
        case .ended?, nil: break
        }
        if reads.count >= keysMax {
            // Emptied when full; what runs stays, since callers wait for it.
            reads = reads.filter { $0.value.isRunning }
        }
        reads[key] = .running([])
        return .run
    }

    /// - Parameter answer: nil where the read was cancelled.
    private func end(_ key: Key, with answer: Answer?, begunAt: ContinuousClock.Instant, isKept: Bool) {
        let waiters = reads.withLock { reads in
            let waiters = reads[key]?.waiters ?? []
            reads[key] = nil
            if let answer, isKept, keptFor > .zero { reads[key] = .ended(answer, begunAt: begunAt) }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: answer) }
    }

    /// Waits for the end of the key's running read.
    ///
    /// - Returns: its answer; nil where the caller has to begin again.
    private func outcome(of key: Key) async -> Answer? {
        await withCheckedContinuation { continuation in
            let isRunning = reads.withLock { reads in
                guard let waiters = reads[key]?.waiters else { return false }
                reads[key] = .running(waiters + [continuation])
                return true
            }
            if !isRunning { continuation.resume(returning: nil) }
        }
    }
}

extension SharedReads {
    /// The value of the caller's read, or of another caller's with the same key.
    ///
    /// A failure is of the callers that wait for the read, and later ones read again.
    ///
    /// - Throws: the error of the read.
    package func value<Value: Sendable>(of key: Key, read: @Sendable () async throws -> Value) async throws -> Value
    where Answer == Result<Value, any Error> {
        try await answer(of: key, keepingWhere: { $0.isSuccess }) {
            do {
                return .success(try await read())
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

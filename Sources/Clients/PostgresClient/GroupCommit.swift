internal import Synchronization

/// Group commit: concurrent requests share a transaction, so that thousands of callers cost dozens of commits.
///
/// The first request starts a transaction at once; requests that arrive while it runs, or within its interval, share the
/// next one. A request is answered once its changes are durable. Requests of one key may share a transaction, in the order
/// of their arrival; while it runs, later ones of the key wait here rather than for a row lock.
public actor GroupCommit<Request: Sendable, Key: Hashable & Sendable, Outcome: Sendable> {
    /// Batch bounds.
    public struct Configuration: Sendable {
        /// Concurrent transactions, each with a connection of the pool.
        public var transactionsMax: Int
        /// Requests of one transaction.
        public var requestsMax: Int
        /// The least time between the beginnings of two transactions, for each request of the first one; none by default.
        ///
        /// Where requests come farther apart than that, few wait, and for a part of it. Where they come closer together,
        /// transactions grow until ``intervalMax`` bounds them: what a transaction costs by itself is shared by many requests before
        /// the processors are busy.
        public var interval = Duration.zero
        /// The longest time that a transaction's requests make the next one wait; none waits with a whole group.
        public var intervalMax = Duration.milliseconds(25)
        /// The weights of one transaction's requests together, unless a single one has more.
        public var weightMax = Int.max
        /// Requests that wait; one more is refused.
        public var waitersMax = 4_096

        /// Bounds the concurrent transactions, and the requests of each.
        public init(transactionsMax: Int, requestsMax: Int, interval: Duration = .zero) {
            self.transactionsMax = transactionsMax
            self.requestsMax = requestsMax
            self.interval = interval
        }
    }

    private struct Waiter {
        let request: Request
        let settle: @Sendable (Result<Outcome, any Error>) -> Void
    }

    private let configuration: Configuration
    private let key: @Sendable (Request) -> Key
    private let weight: @Sendable (Request) -> Int
    private let failsTogether: @Sendable (any Error) -> Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let wait: @Sendable (Duration) async -> Void
    private let commit: @Sendable ([Request]) async throws -> [Outcome]

    private var waiters: [Waiter] = []
    private var transactions = 0
    /// The keys of the running transactions.
    private var busy: Set<Key> = []
    /// When the interval of the newest transaction is over; nil before the first.
    private var intervalEnd: ContinuousClock.Instant?
    private var waitsForInterval = false

    /// - Parameters:
    ///   - key: the key of a request; requests of one key are never in two transactions at once.
    ///   - weight: the weight of a request, in the unit of ``Configuration/weightMax``.
    ///   - failsTogether: whether an error concerns all requests of a transaction; after any other error each is
    ///     retried alone, until two in a row fail by an outage (``PostgresError/isOutage``): the rest fail with it.
    ///   - now: the time by which intervals are measured.
    ///   - wait: waits for the rest of an interval.
    ///   - commit: executes several requests in one transaction, all or none, and returns an outcome for each.
    public init(
        _ configuration: Configuration, key: @escaping @Sendable (Request) -> Key,
        weight: @escaping @Sendable (Request) -> Int = { _ in 1 },
        failsTogether: @escaping @Sendable (any Error) -> Bool = {
            ($0 as? PostgresError)?.concernsAllRequests ?? false
        },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        // Nothing cancels the task that waits.
        wait: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        commit: @escaping @Sendable ([Request]) async throws -> [Outcome]
    ) {
        self.configuration = configuration
        self.key = key
        self.weight = weight
        self.failsTogether = failsTogether
        self.now = now
        self.wait = wait
        self.commit = commit
    }

    /// Requests that wait for a transaction.
    public var waiting: Int { waiters.count }

    /// Executes the request in a transaction with others.
    ///
    /// - Throws: the transaction's error: the request had no effect, or the outcome is unknown
    ///   (``PostgresError/isOutcomeUnknown``); ``PostgresError/Code/poolExhausted`` where too many requests wait
    ///   already.
    public func callAsFunction(_ request: Request) async throws -> Outcome {
        guard waiters.count < configuration.waitersMax else {
            throw PostgresError(.poolExhausted, "\(waiters.count) requests wait for a transaction already")
        }
        return try await withCheckedThrowingContinuation { outcome in
            waiters.append(Waiter(request: request) { outcome.resume(with: $0) })
            begin()
        }
    }

    /// Executes requests that came together in one transaction, as far as it has room for them.
    ///
    /// - Returns: the outcome of each; the errors are those of ``callAsFunction(_:)``.
    public func outcomes(of requests: [Request]) async -> [Result<Outcome, any Error>] {
        guard !requests.isEmpty else { return [] }
        guard waiters.count + requests.count <= configuration.waitersMax else {
            let error = PostgresError(.poolExhausted, "\(waiters.count) requests wait for a transaction already")
            return requests.map { _ in .failure(error) }
        }
        return await withCheckedContinuation { answer in
            let gathered = GatheredOutcomes<Outcome>(count: requests.count) { answer.resume(returning: $0) }
            for (index, request) in requests.enumerated() {
                waiters.append(Waiter(request: request) { gathered.set($0, at: index) })
            }
            begin()
        }
    }

    private func begin() {
        while transactions < configuration.transactionsMax, isIntervalOver() {
            let group = takeGroup()
            guard !group.isEmpty else { return }
            transactions += 1
            intervalEnd = now() + min(configuration.interval * group.count, configuration.intervalMax)
            // Awaited by the callers that wait for its outcomes.
            Task {
                await run(group)
                transactions -= 1
                for one in group { busy.remove(key(one.request)) }
                begin()
            }
        }
    }

    /// Whether a transaction may begin now; where waiters have to wait for the interval's end, one begins then.
    private func isIntervalOver() -> Bool {
        guard let intervalEnd, waiters.count < configuration.requestsMax else { return true }
        let rest = intervalEnd - now()
        guard rest > .zero else { return true }
        guard !waitsForInterval, !waiters.isEmpty else { return false }
        waitsForInterval = true
        // Ends with the interval; the waiters wait for it.
        Task {
            await wait(rest)
            waitsForInterval = false
            begin()
        }
        return false
    }

    /// The next requests in order of arrival, without those of busy keys.
    private func takeGroup() -> [Waiter] {
        var group: [Waiter] = []
        var others: [Waiter] = []
        var taken: Set<Key> = []
        // A later request of a key that is passed over waits too: those of one key keep their order.
        var passedOver = busy
        var weightLeft = configuration.weightMax
        for waiter in waiters {
            let (key, weight) = (key(waiter.request), weight(waiter.request))
            let hasRoom = group.isEmpty || (group.count < configuration.requestsMax && weight <= weightLeft)
            if hasRoom, !passedOver.contains(key) {
                group.append(waiter)
                taken.insert(key)
                weightLeft -= weight
            } else {
                others.append(waiter)
                passedOver.insert(key)
            }
        }
        waiters = others
        busy.formUnion(taken)
        return group
    }

    private func run(_ group: [Waiter]) async {
        do {
            let outcomes = try await commit(group.map(\.request))
            for (one, outcome) in zip(group, outcomes) { one.settle(.success(outcome)) }
        } catch  where group.count == 1 || failsTogether(error) {
            for one in group { one.settle(.failure(error)) }
        } catch {
            // One request fails permanently, or waits too long by itself; the others must not fail with it. Two that meet
            // an outage in a row met the same.
            var outages: [PostgresError] = []
            for one in group {
                if outages.count == 2 {
                    one.settle(.failure(outages[1]))
                } else if let outage = await runAlone(one) {
                    outages.append(outage)
                } else {
                    outages = []
                }
            }
        }
    }

    /// - Returns: the error with which the request failed, if it is an outage.
    private func runAlone(_ one: Waiter) async -> PostgresError? {
        do {
            for outcome in try await commit([one.request]) { one.settle(.success(outcome)) }
            return nil
        } catch {
            one.settle(.failure(error))
            guard let error = error as? PostgresError, error.isOutage else { return nil }
            return error
        }
    }
}

/// The outcomes of requests that are answered together.
private final class GatheredOutcomes<Outcome: Sendable>: Sendable {
    private let outcomes: Mutex<[Result<Outcome, any Error>?]>
    private let answer: @Sendable ([Result<Outcome, any Error>]) -> Void

    init(count: Int, answer: @escaping @Sendable ([Result<Outcome, any Error>]) -> Void) {
        outcomes = Mutex(Array(repeating: nil, count: count))
        self.answer = answer
    }

    /// Answers with the last one.
    func set(_ outcome: Result<Outcome, any Error>, at index: Int) {
        let all = outcomes.withLock { outcomes in
            outcomes[index] = outcome
            return outcomes.compactMap(\.self).count == outcomes.count ? outcomes.compactMap(\.self) : nil
        }
        if let all { answer(all) }
    }
}

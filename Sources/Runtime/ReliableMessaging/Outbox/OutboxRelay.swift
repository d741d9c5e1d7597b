internal import BackgroundWork
internal import DeclaredMetrics
package import FlowControl
internal import Foundation
package import Logging
internal import Metrics
package import NatsClient
package import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// Publishes the messages of the outbox, each at least once and under its own id, and retries without limit.
///
/// The relay publishes this process's commits from memory, and deletes rows in batches. It reads the table for the
/// rest: rows of a dead process, rows whose publish failed, and rows enqueued without ``batch(of:)``. ``MemoryQueue``
/// decides between the two paths.
///
/// Any number of replicas share the work. While the broker is unreachable, rows stay in the table. A message that the
/// broker refuses becomes a dead letter, and the others continue.
///
/// Metrics: see ``MessagingMetrics``.
package final class OutboxRelay: Service, Outbox {
    package struct Configuration: Sendable {
        /// Rows leased and published together.
        package var batchRowsMax = 256
        /// The lease of a batch; more than twice `publishTimeout`.
        package var leaseDuration = Duration.seconds(15)
        package var publishTimeout = Duration.seconds(5)
        /// Refusals after which a message is a dead letter.
        package var attemptsMax = 10
        /// Poll interval for rows without a wake-up: at first, and after a series of empty polls.
        package var poll = BackOff(first: .milliseconds(50), longest: .seconds(1))
        /// Messages that wait in memory at most; more are left to the table.
        package var memoryMessagesMax = 1_024
        /// Rows published from memory are deleted after this interval, or at this number.
        package var deleteInterval = Duration.milliseconds(200)
        package var deleteRowsMax = 1_000
        /// The back-off while broker or database are unavailable.
        package var outage = BackOff(first: .milliseconds(100), longest: .seconds(5))

        package init() {}
    }

    /// The subject of the message with the keys of those that were published under a subject; nil for none.
    package typealias WakeSubject = @Sendable (_ published: String) -> String?

    private typealias Batch = RelayBatch<PostgresOutboxStore, JetStreamPublisher>

    private static let samplingInterval = Duration.seconds(5)
    /// Share of the time that sampling may use.
    private static let samplingShare = 0.02
    /// The longest pause, also after a slow sample: it may have waited for a lock or a connection only.
    private static let samplingIntervalMax = Duration.seconds(30)
    /// Keys in one wake.
    private static let wakeKeysMax = 1_000
    /// Full batches that the relay reads from the table before it publishes messages from memory again.
    private static let tableBatchesMax = 8

    private let configuration: Configuration
    private let store: PostgresOutboxStore
    private let batch: Batch
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let nats: NatsClient
    private let wakeSubject: WakeSubject?
    private let signal = WakeSignal()
    private let isStopping = Atomic(false)
    private let queue: Mutex<MemoryQueue>
    private let deletions = Mutex(Deletions())
    private let acknowledged = Mutex(AcknowledgedSequences())
    private let setBack = Mutex<Set<String>>([])
    private let storageWarnings = Mutex(LogThrottle(every: .seconds(60)))
    private let published = MessagingMetrics.outboxPublished.counter()
    private let failed = MessagingMetrics.outboxFailed.counter()
    private let dead = MessagingMetrics.outboxDeadLettered.counter()
    private let oldest = MessagingMetrics.outboxOldestUnsent.gauge()

    /// - Parameter wakeSubject: the wake subject of readers without a consumer; the wake is sent once, without an
    ///   acknowledgement.
    package init(
        pool: PostgresPool, nats: NatsClient, configuration: Configuration = Configuration(), logger: Logger,
        wakeSubject: WakeSubject? = nil, jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.wakeSubject = wakeSubject
        self.nats = nats
        self.jitter = jitter
        queue = Mutex(MemoryQueue(messagesMax: configuration.memoryMessagesMax, closedAt: .now))
        store = PostgresOutboxStore(pool: pool)
        batch = Batch(
            store: store, publisher: JetStreamPublisher(nats: nats), rowsMax: configuration.batchRowsMax,
            leaseDuration: configuration.leaseDuration, publishTimeout: configuration.publishTimeout,
            attemptsMax: configuration.attemptsMax)
    }

    /// Signals that rows were committed; costs nothing, however often it is called.
    package func wake() {
        queue.withLock { $0.wantTable() }
        signal.wake()
    }

    package func batch(of messages: [OutboxMessage]) -> OutboxBatch {
        OutboxBatch(messages, held: queue.withLock(\.isOpen) ? MemoryQueue.holdDuration : .zero)
    }

    package func publish(_ committed: OutboxBatch) {
        guard !committed.messages.isEmpty else { return }
        queue.withLock { $0.add(committed) }
        signal.wake()
    }

    /// The streams that were set back, each reported once: they have lost earlier messages.
    package func takeSetBackStreams() -> Set<String> {
        setBack.withLock { streams in
            defer { streams = [] }
            return streams
        }
    }

    /// Relays until graceful shutdown; the running batch is finished then.
    ///
    /// Never fails because of an outage.
    /// - Throws: never; failures are logged and retried.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.sampleAges() }
                await relay()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
            self.signal.wake()
        }
    }

    /// Publishes every message in memory or free in the table, for tools and tests that do not ``run()``.
    ///
    /// - Returns: the number of published messages. Stops early when the broker is unavailable.
    /// - Throws: ``PostgresError``.
    package func relayNow() async throws -> Int {
        var count = 0
        while true {
            let fromMemory = try await relayFromMemory()
            count += fromMemory.published
            try await deletePublished(isForced: true)
            let counts = try await relayBatch()
            count += counts.published
            if fromMemory.leased + counts.leased == 0 || counts.connectionError != nil { return count }
        }
    }

    private func relay() async {
        let worker = DueWorker(
            outage: "The outbox relay cannot publish, retrying", recovery: "The outbox relay publishes again",
            signal: signal, retry: configuration.outage, logger: logger, jitter: jitter)
        var emptyPolls = 0
        var nextPoll = ContinuousClock.now
        await worker.run(until: { isStopping.load(ordering: .relaxed) }) {
            let fromMemory = try await relayFromMemory()
            var (hasMore, outage) = (fromMemory.leased > 0, fromMemory.connectionError)
            try await deletePublished(isForced: false)
            if .now >= nextPoll {
                let counts = try await relayBatch()
                outage = outage ?? counts.connectionError
                hasMore = hasMore || counts.leased > 0
                emptyPolls = counts.leased == 0 ? emptyPolls + 1 : 0
                nextPoll = .now + configuration.poll.delay(failures: emptyPolls, jitter: jitter())
            }
            if let outage { throw BrokerAway(description: outage) }
            return hasMore ? .zero : min(ContinuousClock.now.duration(to: nextPoll), timeToDeletion)
        }
        let end = ContinuousClock.now + MemoryQueue.holdDuration
        // Other replicas would publish the rest two seconds later; this spares the delay. After an error they do, and a
        // longer backlog is theirs; the broker drops the second copy of a published row that was not deleted.
        while .now < end, let counts = try? await relayFromMemory(), counts.leased > 0, counts.connectionError == nil {}
        try? await deletePublished(isForced: true)
    }

    /// Samples the age of the oldest row until it is cancelled, beside the relay: a sample may wait for a lock, or read
    /// gigabytes of pages that deletions have left.
    private func sampleAges() async {
        var hasFailed = false
        while !Task.isCancelled {
            var pause = Self.samplingIntervalMax
            do {
                pause = try await sampleAge()
                hasFailed = false
            } catch {
                if !hasFailed, !Task.isCancelled {
                    logger.warning(
                        "The age of the outbox's oldest message cannot be read; its metric keeps the last one",
                        metadata: ["reason": "\(error)"])
                }
                hasFailed = true
            }
            // Cancellation ends the loop.
            try? await Task.sleep(for: pause)
        }
    }

    /// - Returns: the pause until the next one.
    private func sampleAge() async throws -> Duration {
        let start = ContinuousClock.now
        oldest.record((try await store.oldestAge() ?? .zero).inSeconds)
        return Self.samplingPause(after: .now - start)
    }

    /// The pause after a sample of this `duration`: 5 s, and longer after a slow sample, up to 30 s.
    static func samplingPause(after duration: Duration) -> Duration {
        min(max(samplingInterval, duration / samplingShare), samplingIntervalMax)
    }

    // MARK: From memory

    /// Rows that were published from memory and are not deleted yet.
    private struct Deletions {
        var ids: [UUID] = []
        /// The time of the first of them.
        var since: ContinuousClock.Instant?
    }

    /// Publishes the last commits, the table's older rows first.
    ///
    /// - Returns: the messages published from memory, and from the table where that was necessary.
    private func relayFromMemory() async throws -> Batch.Counts {
        let work = queue.withLock { $0.take(messagesMax: configuration.batchRowsMax) }
        if !work.released.isEmpty {
            do {
                try await store.release(work.released)
            } catch {
                // They become free by themselves, two seconds after their commit.
                queue.withLock { $0.close(leaving: [], at: .now) }
                throw error
            }
        }
        if work.isTableWanted { return try await relayTable() }
        guard !work.messages.isEmpty else { return Batch.Counts() }
        let (outcomes, results) = await batch.publish(
            work.messages.map { UnsentRow(message: $0, attempts: 0, age: .zero) })
        var counts = Batch.Counts(outcomes, results)
        let published = outcomes.filter { $0.outcome == .published }.map(\.row.message.id)
        deletions.withLock { deletions in
            if deletions.ids.isEmpty { deletions.since = .now }
            deletions.ids += published
        }
        if published.count < outcomes.count {
            let unpublished = outcomes.filter { $0.outcome != .published }.map(\.row.message.id)
            queue.withLock { $0.close(leaving: unpublished, at: .now) }
        }
        // Only the table counts refusals.
        (counts.failed, counts.dead) = (0, 0)
        note(counts)
        await sendWakes(after: counts)
        return counts
    }

    /// Reads the table until a batch is not full.
    private func relayTable() async throws -> Batch.Counts {
        var all = Batch.Counts()
        for _ in 0..<Self.tableBatchesMax {
            let counts = try await relayBatch()
            all.leased += counts.leased
            all.published += counts.published
            all.connectionError = counts.connectionError
            if counts.leased < configuration.batchRowsMax || counts.connectionError != nil { return all }
        }
        wake()
        return all
    }

    private var timeToDeletion: Duration {
        let since = deletions.withLock { $0.ids.isEmpty ? nil : $0.since }
        return since.map { max(.zero, ContinuousClock.now.duration(to: $0 + configuration.deleteInterval)) }
            ?? .seconds(3_600)
    }

    private func deletePublished(isForced: Bool) async throws {
        let ids = deletions.withLock { deletions -> [UUID] in
            guard let since = deletions.since,
                isForced || deletions.ids.count >= configuration.deleteRowsMax
                    || .now - since >= configuration.deleteInterval
            else { return [] }
            return deletions.ids
        }
        guard !ids.isEmpty else { return }
        try await store.delete(ids)
        deletions.withLock { deletions in
            deletions.ids.removeFirst(ids.count)
            deletions.since = deletions.ids.isEmpty ? nil : .now
        }
    }

    // MARK: From the table

    private func relayBatch() async throws -> Batch.Counts {
        let start = ContinuousClock.now
        let counts = try await batch.run()
        queue.withLock { queue in
            queue.remove(counts.ids)
            if counts.published < counts.leased {
                queue.close(leaving: [], at: .now)
            } else if counts.leased < configuration.batchRowsMax {
                queue.tableWasRead(at: start)
            }
        }
        note(counts)
        await sendWakes(after: counts)
        return counts
    }

    /// Sends the keys of published messages to readers without a consumer, a key in each line.
    ///
    /// Without a broker no message was published, and readers poll periodically anyway.
    private func sendWakes(after counts: Batch.Counts) async {
        guard let wakeSubject else { return }
        var woken: [String: Set<String>] = [:]
        for (subject, keys) in counts.keys {
            if let wake = wakeSubject(subject) { woken[wake, default: []].formUnion(keys) }
        }
        for (subject, keys) in woken where !keys.isEmpty {
            let keys = keys.sorted()
            for start in stride(from: 0, to: keys.count, by: Self.wakeKeysMax) {
                let some = keys[start..<min(start + Self.wakeKeysMax, keys.count)]
                // A reader without a wake polls its table periodically.
                try? await nats.publish(Array(some.joined(separator: "\n").utf8), to: subject)
            }
        }
    }

    private func note(_ counts: Batch.Counts) {
        let lost = acknowledged.withLock { $0.record(counts.acknowledgements) }
        setBack.withLock { $0.formUnion(lost) }
        published.increment(by: counts.published)
        failed.increment(by: counts.failed + counts.dead)
        dead.increment(by: counts.dead)
        if let error = counts.storageError, storageWarnings.withLock({ $0.isDue(at: .now) }) {
            logger.warning(
                "The broker answers and stores no message; each waits and is retried",
                metadata: ["messages": "\(counts.postponed)", "reason": "\(error)"])
        }
        if counts.dead > 0 {
            logger.error(
                "The broker refused messages; they are dead letters now",
                metadata: ["messages": "\(counts.dead)"])
        }
    }
}

import BackgroundWork
import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization
import TextCoding
import WebhookSender
import WebhookSignatures

/// Sends events to their endpoints: leases due events, posts them signed, and writes the answers.
///
/// Each endpoint has its own place in the queue. ``SenderCapacity`` bounds the concurrent attempts of each endpoint and
/// of each store, so that slow and dead endpoints delay no other store's events. The number of leased events is
/// bounded, however many wait. The next events of quick endpoints wait in memory (``SendQueue``), so that one lease
/// serves hundreds.
final class EventSender: Service {
    struct Configuration: Sendable {
        /// Attempts of this process at once, of all endpoints together.
        var inFlightMax = 256
        /// Longer than any attempt; wall time.
        var lease = Duration.seconds(60)
        /// The queue's poll interval without a wake-up, for retries and for events that another replica queued; wall time.
        var pollInterval = Duration.seconds(1)
        /// The pause after a database outage before the next query.
        var outagePause = Duration.milliseconds(500)

        init() {}
    }

    private struct State {
        var queue: SendQueue
        /// The endpoints whose events may wait for room: the last lease filled their share.
        var atQuota = EndpointsAtQuota.all
        /// Whether a lease is being read.
        var isLeasing = false
        /// Whether an attempt has ended since that lease began, which may have made room in any endpoint.
        var hasEndedMeanwhile = false
    }

    /// Endpoints whose queues are polled as soon as one of their attempts has ended.
    private enum EndpointsAtQuota {
        case all
        case endpoints(Set<EndpointID>)

        func contains(_ endpoint: EndpointID) -> Bool {
            switch self {
            case .all: true
            case .endpoints(let endpoints): endpoints.contains(endpoint)
            }
        }
    }

    /// Posts one body with its headers to an address, which is parsed first.
    typealias Post = @Sendable (Data, [(String, String)], WebhookURL) async -> WebhookResult

    private let pool: PostgresPool
    private let clock: DomainClock
    private let configuration: Configuration
    private let box: SecretBox
    private let settle: SettleAttempts
    private let allowsPlain: Bool
    private let userAgent: String
    private let logger: Logger
    private let wallNow: @Sendable () -> Date
    private let elapsed: @Sendable () -> ContinuousClock.Instant
    private let post: Post
    private let signal = WakeSignal()
    private let state: Mutex<State>

    init(
        pool: PostgresPool, clock: DomainClock, configuration: Configuration = .init(), box: SecretBox,
        settle: SettleAttempts, allowsPlain: Bool, version: String, logger: Logger,
        wallNow: @escaping @Sendable () -> Date = { Date() },
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, post: @escaping Post
    ) {
        self.pool = pool
        self.clock = clock
        self.configuration = configuration
        let capacity = SenderCapacity(.init(total: configuration.inFlightMax))
        state = Mutex(State(queue: SendQueue(capacity, waitMax: configuration.lease / 4)))
        self.box = box
        self.settle = settle
        self.allowsPlain = allowsPlain
        userAgent = "Doorstep/\(version)"
        self.logger = logger
        self.wallNow = wallNow
        self.elapsed = elapsed
        self.post = post
        WebhookMetrics.exportAttempts()
    }

    /// Polls the queue now.
    func wake() { signal.wake() }

    /// Sends until graceful shutdown; attempts in flight may then finish.
    func run() async throws {
        let (work, add) = AsyncStream.makeStream(of: SendQueue.Work.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown { await self.leaseUntilCancelled { add.yield($0) } }
                await self.release(self.state.withLock { $0.queue.close() })
                add.finish()
            }
            for await one in work { group.addTask { await self.attempt(one) } }
        }
    }

    /// Sends the due events, for a process in which ``run()`` does not run.
    ///
    /// - Returns: the number of attempts.
    @discardableResult
    func sendDue() async throws -> Int {
        let lease = try await lease(at: clock.now)
        await withDiscardingTaskGroup { group in
            for one in lease.begun { group.addTask { await self.attempt(one) } }
        }
        return lease.begun.count + lease.prefetched
    }

    // MARK: Leasing

    /// The events of a lease.
    private struct Lease {
        var begun: [SendQueue.Work] = []
        /// The number of events that begin when others have ended.
        var prefetched = 0
        /// Whether more may be due at once for endpoints that have room for it: replays are leased one at a time, and
        /// other events in parts.
        var isMoreDue = false
    }

    private func leaseUntilCancelled(_ start: (SendQueue.Work) -> Void) async {
        let worker = DueWorker(
            outage: "Cannot send webhooks, retrying", signal: signal,
            retry: BackOff(every: configuration.outagePause), logger: logger)
        await worker.run {
            let lease = try await lease(at: clock.now)
            lease.begun.forEach(start)
            return lease.isMoreDue ? .zero : configuration.pollInterval
        }
    }

    /// Leases due events.
    private func lease(at now: Date) async throws -> Lease {
        state.withLock { ($0.isLeasing, $0.hasEndedMeanwhile) = (true, false) }
        defer { state.withLock { $0.isLeasing = false } }
        let endpoints = try await EndpointRepository.sendable(at: now, on: pool)
        await release(state.withLock { $0.queue.removeOutdated(by: endpoints) })
        // Of endpoints that are alike, another one is the first each time.
        let (quotas, capacity) = state.withLock { state in
            (state.queue.capacity.quotas(of: endpoints.shuffled()), state.queue.capacity)
        }
        let leasedAt = elapsed()
        let leased = try await EventRepository.lease(
            quotas, within: capacity, at: now, for: configuration.lease, by: UUID(), on: pool)
        let work: [SendQueue.Work]
        do {
            work = try await self.work(of: leased, endpoints, at: now, leasedAt: leasedAt)
        } catch {
            await release(leased)
            throw error
        }
        let filled = Self.filled(quotas, by: leased)
        let (lease, unsent) = state.withLock { state in
            let accepted = state.queue.accept(work)
            var lease = Lease(begun: accepted.begun, prefetched: accepted.waiting)
            state.atQuota = .all
            if !state.queue.capacity.isFull {
                let full = state.queue.capacity.endpointsOfFullShares
                state.atQuota = .endpoints(
                    full.union(filled.map(\.queue.endpoint))
                        .union(Set(endpoints.map(\.id)).subtracting(quotas.map(\.queue.endpoint))))
                lease.isMoreDue =
                    state.queue.capacity.needsPrefetching
                    && filled.contains { ($0.queue.isReplay || $0.isPart) && !full.contains($0.queue.endpoint) }
            }
            if state.hasEndedMeanwhile && state.queue.capacity.needsPrefetching { lease.isMoreDue = true }
            // An attempt that ends from here on wakes the next lease.
            state.isLeasing = false
            return (lease, accepted.unsent)
        }
        await release(unsent)
        return lease
    }

    /// Gives leased and unsent events back; where that fails, they are free once their lease expires.
    private func release(_ leased: [EventRepository.Leased]) async {
        guard !leased.isEmpty else { return }
        // Without a connection their leases expire by themselves.
        try? await withCancellationShield { try await EventRepository.release(leased, on: self.pool) }
    }

    private static func filled(
        _ quotas: [SenderCapacity.LeaseQuota], by leased: [EventRepository.Leased]
    ) -> [SenderCapacity.LeaseQuota] {
        let rows = leased.reduce(into: [:]) { $0[$1.queue, default: 0] += 1 }
        return quotas.filter { rows[$0.queue, default: 0] >= $0.rows }
    }

    private func work(
        of leased: [EventRepository.Leased], _ endpoints: [Endpoint], at now: Date, leasedAt: ContinuousClock.Instant
    ) async throws -> [SendQueue.Work] {
        guard !leased.isEmpty else { return [] }
        let urls = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.id, $0.url) })
        let ids = Set(leased.map(\.endpoint)).sorted()
        let secrets = try await EndpointRepository.secrets(of: ids, at: now, on: pool)
        let keys = Dictionary(
            uniqueKeysWithValues: ids.map { id in (id, secrets[id, default: []].compactMap { key($0, of: id) }) })
        return leased.map {
            SendQueue.Work(
                leased: $0, leasedAt: leasedAt, url: urls[$0.endpoint] ?? "", keys: keys[$0.endpoint] ?? [])
        }
    }

    private func key(_ secret: EndpointRepository.SealedSecret, of endpoint: EndpointID) -> WebhookKey? {
        do {
            return try WebhookKey(box.open(secret.sealed, of: endpoint.rawValue))
        } catch {
            logger.error(
                "The secret of a webhook endpoint cannot be read: check secrets.keys.file",
                metadata: ["endpoint_id": "\(endpoint)"])
            return nil
        }
    }

    // MARK: Sending

    /// Makes an attempt, and then, in the same slot, the attempts of the events that wait for it.
    private func attempt(_ first: SendQueue.Work) async {
        var next: SendQueue.Work? = first
        while let work = next {
            let endpoint = work.leased.endpoint
            let (seconds, hasFailed) = await attemptOnce(work)
            let (ended, isLeaseDue) = state.withLock { state in
                let ended = state.queue.end(endpoint, after: seconds, hasFailed: hasFailed, at: elapsed())
                state.hasEndedMeanwhile = true
                // A slot that no waiting event takes is another endpoint's, however many events wait.
                let isDue = state.queue.capacity.needsPrefetching || ended.next == nil
                return (ended, !state.isLeasing && isDue && state.atQuota.contains(endpoint))
            }
            await release(ended.unsent)
            if isLeaseDue || !ended.unsent.isEmpty { signal.wake() }
            next = ended.next
        }
    }

    /// Makes an attempt and stores its result.
    ///
    /// - Returns: the duration of the request, and whether the endpoint may be paused or disabled now.
    private func attemptOnce(_ work: SendQueue.Work) async -> (seconds: Double, hasFailed: Bool) {
        let at = clock.now
        let began = elapsed()
        let result = await send(work)
        let took = elapsed() - began
        let (seconds, milliseconds) = (took / .seconds(1), Int(took / .milliseconds(1)))
        do {
            guard let ended = Self.ended(work, result, at: at, milliseconds: milliseconds) else {
                await release([work.leased])
                return (seconds, true)
            }
            WebhookMetrics.record(ended.outcome, milliseconds: milliseconds)
            try await withCancellationShield { try await self.settle(ended) }
            return (seconds, ended.outcome != .delivered)
        } catch {
            // It is leased for a while yet, and then sent again.
            logger.warning(
                "The result of a webhook could not be stored; it will be sent again",
                metadata: [
                    "endpoint_id": "\(work.leased.endpoint)", "event_id": "\(work.leased.event)",
                    "reason": "\(error)",
                ])
            return (seconds, true)
        }
    }

    private enum Sent {
        case answered(WebhookResult)
        /// The event could not be sent at all.
        case impossible(String)
    }

    private func send(_ work: SendQueue.Work) async -> Sent {
        let url: WebhookURL
        do {
            url = try WebhookURL(work.url, allowsPlain: allowsPlain)
        } catch {
            return .impossible("the address \(error)")
        }
        let signed = StandardWebhook.signing(
            work.leased.body, id: work.leased.event.rawValue, at: wallNow(), keys: work.keys)
        guard let signed else { return .impossible("there is no secret to sign with") }
        let headers =
            signed.headers.map { ($0.key, $0.value) } + [
                ("content-type", "application/json"), ("user-agent", userAgent),
            ]
        return .answered(await post(work.leased.body, headers, url))
    }

    /// The attempt's row; nil where nothing was sent, since the process ends.
    private static func ended(
        _ work: SendQueue.Work, _ sent: Sent, at: Date, milliseconds: Int
    ) -> SettleAttempts.Ended? {
        var (status, error, answer, retryAfter): (Int?, String?, String?, Double?)
        switch sent {
        case .answered(.answered(let code, let excerpt, let wait)):
            (status, answer, retryAfter) = (code, excerpt.storable, wait.map { $0 / .seconds(1) })
        case .answered(.failed(.shuttingDown)): return nil
        case .answered(.failed(let failure)): error = failure.description.storable
        case .impossible(let reason): error = reason
        }
        return SettleAttempts.Ended(
            leased: work.leased, url: work.url,
            attempt: AttemptBody(at: at, milliseconds: milliseconds, status: status, error: error, answer: answer),
            outcome: AttemptOutcome(status: status, retryAfter: retryAfter))
    }
}

extension StandardWebhook {
    /// The headers by their names.
    var headers: [String: String] {
        ["webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature]
    }
}

extension String {
    /// The text without NUL, which no database keeps.
    fileprivate var storable: String { replacing("\0", with: "") }
}

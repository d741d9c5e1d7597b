import BackgroundWork
import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization
import WebhookSender
import WebhookSignatures

/// Sends events to their endpoints: leases due events, posts them signed, and writes the answers.
///
/// Each endpoint has its own place in the queue, and each endpoint and each store a few attempts of its own in flight
/// (``SenderCapacity``), so that slow and dead endpoints slow no other store's. Leases are bounded, for any number of
/// waiting events.
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
        var capacity: SenderCapacity
        /// The endpoints whose events may wait for room: the last lease filled their share.
        var atQuota = EndpointsAtQuota.all
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
    private let post: Post
    private let signal = WakeSignal()
    private let state: Mutex<State>

    init(
        pool: PostgresPool, clock: DomainClock, configuration: Configuration = .init(), box: SecretBox,
        settle: SettleAttempts, allowsPlain: Bool, version: String, logger: Logger,
        wallNow: @escaping @Sendable () -> Date = { Date() }, post: @escaping Post
    ) {
        self.pool = pool
        self.clock = clock
        self.configuration = configuration
        state = Mutex(State(capacity: SenderCapacity(.init(total: configuration.inFlightMax))))
        self.box = box
        self.settle = settle
        self.allowsPlain = allowsPlain
        userAgent = "Doorstep/\(version)"
        self.logger = logger
        self.wallNow = wallNow
        self.post = post
    }

    /// Polls the queue now.
    func wake() { signal.wake() }

    /// Sends until graceful shutdown; attempts in flight may then finish.
    func run() async throws {
        let (work, add) = AsyncStream.makeStream(of: Work.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown { await self.leaseUntilCancelled { add.yield($0) } }
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
        let (work, _) = try await lease(at: clock.now)
        await withDiscardingTaskGroup { group in
            for one in work { group.addTask { await self.attempt(one) } }
        }
        return work.count
    }

    // MARK: Leasing

    /// One event with everything needed to send it.
    private struct Work: Sendable {
        let leased: EventRepository.Leased
        let url: String
        let keys: [WebhookKey]
    }

    private func leaseUntilCancelled(_ start: (Work) -> Void) async {
        let worker = DueWorker(
            outage: "Cannot send webhooks, retrying", signal: signal,
            retry: BackOff(every: configuration.outagePause), logger: logger)
        await worker.run {
            let (work, isMoreDue) = try await lease(at: clock.now)
            work.forEach(start)
            return isMoreDue ? .zero : configuration.pollInterval
        }
    }

    /// Leases due events.
    ///
    /// - Returns: what to send, and whether more may be due at once for endpoints that have room for it: replays are
    ///   leased one at a time, and other events in parts.
    private func lease(at now: Date) async throws -> ([Work], isMoreDue: Bool) {
        let endpoints = try await EndpointRepository.sendable(at: now, on: pool)
        // An attempt that ends while the queue is read may make room in any of them.
        let (quotas, capacity) = state.withLock { state in
            state.atQuota = .all
            // Of endpoints that are alike, another one is the first each time.
            return (state.capacity.quotas(of: endpoints.shuffled()), state.capacity)
        }
        let leased = try await EventRepository.lease(
            quotas, within: capacity.limits, inFlight: capacity.inFlight, at: now, for: configuration.lease, by: UUID(),
            on: pool)
        let filled = Self.filled(quotas, by: leased)
        let isMoreDue = state.withLock { state in
            for one in leased { state.capacity.begin(one.endpoint) }
            guard !state.capacity.isFull else { return false }
            let full = state.capacity.endpointsOfFullShares
            state.atQuota = .endpoints(
                full.union(filled.map(\.queue.endpoint))
                    .union(Set(endpoints.map(\.id)).subtracting(quotas.map(\.queue.endpoint))))
            return filled.contains { ($0.queue.isReplay || $0.isPart) && !full.contains($0.queue.endpoint) }
        }
        guard !leased.isEmpty else { return ([], false) }
        do {
            return (try await work(of: leased, endpoints, at: now), isMoreDue)
        } catch {
            for one in leased { finish(one.endpoint, after: nil) }
            // After a failure here the events are free once their lease expires.
            try? await withCancellationShield { try await EventRepository.release(leased, on: self.pool) }
            throw error
        }
    }

    private static func filled(
        _ quotas: [SenderCapacity.LeaseQuota], by leased: [EventRepository.Leased]
    ) -> [SenderCapacity.LeaseQuota] {
        let rows = leased.reduce(into: [:]) { $0[$1.queue, default: 0] += 1 }
        return quotas.filter { rows[$0.queue, default: 0] >= $0.rows }
    }

    private func work(
        of leased: [EventRepository.Leased], _ endpoints: [Endpoint], at now: Date
    ) async throws -> [Work] {
        let urls = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.id, $0.url) })
        let ids = Set(leased.map(\.endpoint)).sorted()
        let secrets = try await EndpointRepository.secrets(of: ids, at: now, on: pool)
        let keys = Dictionary(
            uniqueKeysWithValues: ids.map { id in (id, secrets[id, default: []].compactMap { key($0, of: id) }) })
        return leased.map { Work(leased: $0, url: urls[$0.endpoint] ?? "", keys: keys[$0.endpoint] ?? []) }
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

    /// - Parameter seconds: the receiver's response time; nil without a request.
    private func finish(_ endpoint: EndpointID, after seconds: Double?) {
        let isLeaseDue = state.withLock { state in
            state.capacity.end(endpoint, after: seconds)
            return state.atQuota.contains(endpoint)
        }
        if isLeaseDue { signal.wake() }
    }

    // MARK: Sending

    private func attempt(_ work: Work) async {
        var seconds: Double?
        defer { finish(work.leased.endpoint, after: seconds) }
        let at = clock.now
        let began = ContinuousClock.now
        let result = await send(work)
        let took = ContinuousClock.now - began
        seconds = took / .seconds(1)
        let milliseconds = Int(took / .milliseconds(1))
        do {
            guard let ended = Self.ended(work.leased, result, at: at, milliseconds: milliseconds) else {
                return try await withCancellationShield {
                    try await EventRepository.release([work.leased], on: self.pool)
                }
            }
            WebhookMetrics.record(ended.outcome, milliseconds: milliseconds)
            try await withCancellationShield { try await self.settle(ended) }
        } catch {
            // It is leased for a while yet, and then sent again.
            logger.warning(
                "The result of a webhook could not be stored; it will be sent again",
                metadata: [
                    "endpoint_id": "\(work.leased.endpoint)", "event_id": "\(work.leased.event)",
                    "reason": "\(error)",
                ])
        }
    }

    private enum Sent {
        case answered(WebhookResult)
        /// The event could not be sent at all.
        case impossible(String)
    }

    private func send(_ work: Work) async -> Sent {
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
        _ leased: EventRepository.Leased, _ sent: Sent, at: Date, milliseconds: Int
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
            leased: leased,
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

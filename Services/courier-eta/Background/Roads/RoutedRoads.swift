import ArrivalEstimate
import DeclaredMetrics
import FlowControl
import Foundation
import Logging
import Metrics
import OrderDomain
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Distances of a road engine from a cache; usual distances until an answer is cached, and while the engine fails.
///
/// A lookup returns from memory at once. A miss is requested asynchronously by `run`, and is cached for the next lookup:
/// a slow or dead engine costs accuracy and nothing else.
final class RoutedRoads: RoadDistance, Service {
    /// Queued requests; more are dropped, as the next fix requests again.
    static let queuedMax = 256
    /// Concurrent requests to the engine.
    static let concurrentMax = 4
    /// Straight metres below which the engine is not asked: its snapping may be as long.
    static let straightMetresMin = 200.0
    /// The circuit breaker of a travel mode without a failure.
    static let breaker = CircuitBreaker<ContinuousClock.Instant>(
        failuresMax: 5, pauses: BackOff(first: .seconds(10), longest: .seconds(300)))

    struct RoadRequest: Hashable, Sendable {
        let from: Coordinate
        let to: Coordinate
        let mode: TravelMode
        var key: RoadCache.Key { RoadCache.Key(from: from, to: to, by: mode) }
    }

    private struct State {
        var cache = RoadCache()
        /// The circuit breakers by travel mode: an engine may serve bicycles and fail for cars.
        var breakers: [TravelMode: CircuitBreaker<ContinuousClock.Instant>] = [:]
        var queued: Set<RoadCache.Key> = []
    }

    private let engine: any RoadEngine
    private let usual: DetourFactorDistance
    private let timeout: Duration
    private let metrics: MetricsRegistry
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    private let requests: AsyncStream<RoadRequest>
    private let queue: AsyncStream<RoadRequest>.Continuation

    init(
        engine: any RoadEngine, usual: DetourFactorDistance, timeout: Duration = RoadSettings.timeoutStandard,
        metrics: MetricsRegistry, logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.engine = engine
        self.usual = usual
        self.timeout = timeout
        self.metrics = metrics
        self.logger = logger
        self.now = now
        (requests, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.queuedMax))
    }

    func road(from: Coordinate, to: Coordinate, by mode: TravelMode) -> KnownRoad {
        let usually = usual.road(from: from, to: to, by: mode)
        guard from.distance(to: to) >= Self.straightMetresMin else { return usually }
        let request = RoadRequest(from: from, to: to, mode: mode)
        let moment = now()
        let (share, isNew) = state.withLock { state in
            if let share = state.cache.share(request.key, at: moment) { return (Double?.some(share), false) }
            guard state.breakers[mode, default: Self.breaker].admits(at: moment) else { return (nil, false) }
            return (nil, state.queued.insert(request.key).inserted)
        }
        if isNew, case .dropped = queue.yield(request) { finish(request, counting: "dropped") }
        guard let share else { return usually }
        return KnownRoad(
            metres: usually.usualMetres * share, usualMetres: usually.usualMetres, isRouted: true)
    }

    /// Performs queued requests until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                let free = AsyncStream<Void>.makeStream()
                for _ in 0..<Self.concurrentMax { free.continuation.yield() }
                var permits = free.stream.makeAsyncIterator()
                for await request in requests {
                    guard await permits.next() != nil else { return }
                    group.addTask { [self] in
                        await perform(request)
                        free.continuation.yield()
                    }
                }
            }
        }
    }

    /// Performs one request, unless the breaker is open, and caches the answer.
    func perform(_ request: RoadRequest) async {
        let moment = now()
        guard state.withLock({ $0.breakers[request.mode, default: Self.breaker].admit(at: moment) }) else {
            return finish(request, counting: "breaker_open")
        }
        do {
            let answer = try await answerInTime(request)
            let usually = usual.road(from: request.from, to: request.to, by: request.mode)
            store(share: answer.metres / usually.usualMetres, of: request)
            finish(request, counting: "answered")
        } catch let fault as RoadFault {
            if fault.isOutage {
                recordFailure(fault, of: request.mode)
            } else {
                // The engine would answer the same again: cached as the usual distance.
                store(share: 1, of: request)
            }
            finish(request, counting: fault.rawValue)
        } catch {
            finish(request, counting: "cancelled")
        }
    }

    private func answerInTime(_ request: RoadRequest) async throws -> RoadAnswer {
        let answer = try await withTimeLimit(timeout) { [engine] in
            try await engine.answer(from: request.from, to: request.to, by: request.mode)
        }
        guard let answer else { throw RoadFault.timedOut }
        try answer.checked(from: request.from, to: request.to)
        return answer
    }

    private func store(share: Double, of request: RoadRequest) {
        let moment = now()
        let isClosing = state.withLock { state in
            state.cache.store(share, for: request.key, at: moment)
            return state.breakers[request.mode, default: Self.breaker].recordSuccess()
        }
        guard isClosing else { return }
        gauge(request.mode).record(0)
        logger.notice("The road engine answers again", metadata: ["vehicle": "\(request.mode.rawValue)"])
    }

    private func recordFailure(_ fault: RoadFault, of mode: TravelMode) {
        let moment = now()
        guard state.withLock({ $0.breakers[mode, default: Self.breaker].recordFailure(at: moment) }) else { return }
        gauge(mode).record(1)
        logger.warning(
            "The road engine does not answer; usual distances are used until it does",
            metadata: ["vehicle": "\(mode.rawValue)", "reason": "\(fault.rawValue)"])
    }

    private func finish(_ request: RoadRequest, counting outcome: String) {
        state.withLock { _ = $0.queued.remove(request.key) }
        CourierETAMetrics.roadRequests.counter([("outcome", outcome)], in: metrics).increment()
    }

    private func gauge(_ mode: TravelMode) -> Gauge {
        CourierETAMetrics.roadBreakerOpen.gauge([("vehicle", mode.rawValue)], in: metrics)
    }
}

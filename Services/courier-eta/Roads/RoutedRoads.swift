import ArrivalEstimate
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Roads as an engine says, where it has said so already; as they usually are until then, and whenever it cannot.
///
/// Who looks is answered from memory at once. What is not there is asked for beside that, by `run`, and is there for the
/// next look: an engine that is slow or dead costs accuracy and nothing else.
final class RoutedRoads: RoadDistance, Service {
    /// Questions that wait; more are dropped, as the next fix asks again.
    static let waitingMax = 256
    /// Questions to the engine at once.
    static let asksAtOnceMax = 4
    /// Straight metres below which nobody asks: an engine's snapping is as long.
    static let straightMetresMin = 200.0

    struct Question: Hashable, Sendable {
        let from: Place
        let to: Place
        let mode: TravelMode
        var key: RoadCache.Key { RoadCache.Key(from: from, to: to, by: mode) }
    }

    private struct State {
        var cache: RoadCache
        /// One engine may serve bicycles and be dead for cars.
        var breakers: [TravelMode: CircuitBreaker] = [:]
        var waiting: Set<RoadCache.Key> = []
    }

    private let engine: any RoadEngine
    private let usual: UsualRoads
    private let timeout: Duration
    private let metrics: MetricsRegistry
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    private let questions: AsyncStream<Question>
    private let asking: AsyncStream<Question>.Continuation

    init(
        engine: any RoadEngine, usual: UsualRoads, timeout: Duration = RoadSettings.timeoutStandard,
        metrics: MetricsRegistry, logger: Logger, cacheEntriesMax: Int = RoadCache.entriesMax,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.engine = engine
        self.usual = usual
        self.timeout = timeout
        self.metrics = metrics
        self.logger = logger
        self.now = now
        state = Mutex(State(cache: RoadCache(entriesMax: cacheEntriesMax)))
        (questions, asking) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingMax))
    }

    func road(from: Place, to: Place, by mode: TravelMode) -> KnownRoad {
        let usually = usual.road(from: from, to: to, by: mode)
        guard from.distance(to: to) >= Self.straightMetresMin else { return usually }
        let question = Question(from: from, to: to, mode: mode)
        let moment = now()
        let (share, isNew) = state.withLock { state in
            if let share = state.cache.share(question.key, at: moment) { return (Double?.some(share), false) }
            guard state.breakers[mode, default: CircuitBreaker()].lets(at: moment) else { return (nil, false) }
            return (nil, state.waiting.insert(question.key).inserted)
        }
        if isNew, case .dropped = asking.yield(question) { forget(question, counting: "dropped") }
        guard let share else { return usually }
        return KnownRoad(
            metres: usually.usualMetres * share, usualMetres: usually.usualMetres, isRouted: true)
    }

    /// Asks what is waiting, until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                let free = AsyncStream<Void>.makeStream()
                for _ in 0..<Self.asksAtOnceMax { free.continuation.yield() }
                var places = free.stream.makeAsyncIterator()
                for await question in questions {
                    guard await places.next() != nil else { return }
                    group.addTask { [self] in
                        await ask(question)
                        free.continuation.yield()
                    }
                }
            }
        }
    }

    /// Asks one question, unless the breaker is open, and keeps what is answered.
    func ask(_ question: Question) async {
        let moment = now()
        guard state.withLock({ $0.breakers[question.mode, default: CircuitBreaker()].ask(at: moment) }) else {
            return forget(question, counting: "breaker_open")
        }
        do {
            let answer = try await answerInTime(question)
            let usually = usual.road(from: question.from, to: question.to, by: question.mode)
            note(share: answer.metres / usually.usualMetres, of: question)
            forget(question, counting: "answered")
        } catch let fault as EngineFault {
            if fault.isOutage {
                noteFailure(fault, of: question.mode)
            } else {
                // It will say the same again: as good as the usual.
                note(share: 1, of: question)
            }
            forget(question, counting: fault.rawValue)
        } catch {
            forget(question, counting: "cancelled")
        }
    }

    private func answerInTime(_ question: Question) async throws -> EngineAnswer {
        try await withThrowingTaskGroup(of: EngineAnswer.self) { [engine, timeout] group in
            group.addTask {
                let answer = try await engine.answer(from: question.from, to: question.to, by: question.mode)
                try answer.checked(from: question.from, to: question.to)
                return answer
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw EngineFault.timedOut
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    private func note(share: Double, of question: Question) {
        let moment = now()
        let isClosing = state.withLock { state in
            state.cache.keep(share, for: question.key, at: moment)
            return state.breakers[question.mode, default: CircuitBreaker()].noteSuccess()
        }
        guard isClosing else { return }
        gauge(question.mode).record(0)
        logger.notice("The road engine answers again", metadata: ["vehicle": "\(question.mode.rawValue)"])
    }

    private func noteFailure(_ fault: EngineFault, of mode: TravelMode) {
        let moment = now()
        guard state.withLock({ $0.breakers[mode, default: CircuitBreaker()].noteFailure(at: moment) }) else { return }
        gauge(mode).record(1)
        logger.warning(
            "The road engine does not answer; roads count as usual until it does",
            metadata: ["vehicle": "\(mode.rawValue)", "reason": "\(fault.rawValue)"])
    }

    private func forget(_ question: Question, counting outcome: String) {
        state.withLock { _ = $0.waiting.remove(question.key) }
        Counter(label: "road_asks_total", dimensions: [("outcome", outcome)], factory: metrics).increment()
    }

    private func gauge(_ mode: TravelMode) -> Gauge {
        Gauge(label: "road_breaker_open", dimensions: [("vehicle", mode.rawValue)], factory: metrics)
    }
}

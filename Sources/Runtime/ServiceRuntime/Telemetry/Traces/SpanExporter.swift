internal import BackgroundWork
internal import DeclaredMetrics
internal import FlowControl
internal import Logging
internal import Metrics
internal import ServiceLifecycle
internal import Synchronization

/// Sends ended spans to a collector, in batches and in the background: no request waits for it.
///
/// While the collector is unavailable or slow, spans wait in a bounded queue; a full queue drops and counts further
/// spans. At shutdown the waiting spans are sent within `flushTimeout`.
package final class SpanExporter: Service {
    struct Configuration: Sendable {
        /// Wall time that spans wait at most for a batch to become full.
        var interval = Duration.seconds(2)
        /// The time-out of one request.
        ///
        /// - Source: OTLP exporters' default, https://opentelemetry.io/docs/specs/otel/protocol/exporter/
        var requestTimeout = Duration.seconds(10)
        /// The time-out of all requests after the process begins to stop, a running one included; less than the time
        /// that a process has left after its drain time-out.
        var flushTimeout = Duration.seconds(3)
        /// The back-off while the collector is unavailable.
        var retry = BackOff(first: .seconds(1), longest: .seconds(30))
    }

    /// A collector's answer to a batch.
    enum Answer: Hashable, Sendable {
        case accepted
        /// The collector refuses the batch permanently.
        case refused(reason: String)
        /// The collector may accept the batch later.
        case unavailable(reason: String)
    }

    private let queue: SpanQueue
    private let configuration: Configuration
    private let logger: Logger
    private let connect: @Sendable () -> OTLPCollector
    /// When the last request must have ended; nil before shutdown.
    private let flushEnd = Mutex<ContinuousClock.Instant?>(nil)
    private let exported: Counter
    private let refused: Counter
    private let unsent: Counter

    /// - Parameter connect: makes the collector that is used until the end of ``run()``.
    init(
        _ queue: SpanQueue, configuration: Configuration = Configuration(), metrics: any MetricsFactory,
        logger: Logger, connect: @escaping @Sendable () -> OTLPCollector
    ) {
        self.queue = queue
        self.configuration = configuration
        self.logger = logger
        self.connect = connect
        exported = TraceMetrics.exported.counter(in: metrics)
        refused = TraceMetrics.dropped.counter([("reason", "refused")], in: metrics)
        unsent = TraceMetrics.dropped.counter([("reason", "shutdown")], in: metrics)
    }

    /// Exports until graceful shutdown, and then the waiting spans; never fails.
    /// - Throws: never; failures are logged.
    package func run() async throws {
        let collector = connect()
        let rest = await withGracefulShutdownHandler {
            await exportUntilShutdown(to: collector)
        } onGracefulShutdown: {
            self.flushEnd.withLock { $0 = .now + self.configuration.flushTimeout }
            self.queue.signal.wake()
        }
        await flush(rest, to: collector)
        await collector.close()
    }

    /// - Returns: a batch that left the queue and was not accepted.
    private func exportUntilShutdown(to collector: OTLPCollector) async -> [SpanRecord] {
        var batch: [SpanRecord] = []
        var failures = 0
        while !isOver {
            if batch.isEmpty {
                if !queue.hasBatch { await queue.signal.wait(atMost: configuration.interval) }
                guard !isOver else { break }
                batch = queue.takeBatch()
            }
            guard !batch.isEmpty else { continue }
            let answer = await sendUntilFlushEnd(batch, to: collector)
            failures = note(answer, failures)
            guard failures == 0 else {
                await pause(configuration.retry.delay(failures: failures))
                continue
            }
            settle(batch, answer)
            batch = []
        }
        return batch
    }

    private var isOver: Bool { flushEnd.withLock { $0 != nil } || Task.isCancelled }

    /// Sends a batch; at shutdown it has the rest of `flushTimeout`, since an interrupted batch may have arrived.
    private func sendUntilFlushEnd(_ batch: [SpanRecord], to collector: OTLPCollector) async -> Answer {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { await collector.send(batch, timeout: self.configuration.requestTimeout) }
            group.addTask {
                // Both end early when the answer comes first.
                try? await gracefulShutdown()
                try? await Task.sleep(for: self.configuration.flushTimeout)
                return nil
            }
            while let first = await group.next() {
                group.cancelAll()
                if let first { return first }
            }
            return .unavailable(reason: "the process stops")
        }
    }

    /// Sends waiting spans until `flushTimeout` has passed since shutdown began, and counts the rest.
    private func flush(_ first: [SpanRecord], to collector: OTLPCollector) async {
        var batch = first.isEmpty ? queue.takeBatch() : first
        let end = flushEnd.withLock { $0 } ?? .now
        while !batch.isEmpty, .now < end, !Task.isCancelled {
            let answer = await collector.send(batch, timeout: min(configuration.requestTimeout, end - .now))
            if case .unavailable = answer { break }
            settle(batch, answer)
            batch = queue.takeBatch()
        }
        let left = batch.count + queue.removeAll()
        guard left > 0 else { return }
        unsent.increment(by: left)
        logger.warning("Spans were not sent before the end of the process", metadata: ["spans": "\(left)"])
    }

    private func settle(_ batch: [SpanRecord], _ answer: Answer) {
        switch answer {
        case .accepted: exported.increment(by: batch.count)
        case .refused: refused.increment(by: batch.count)
        case .unavailable: break
        }
    }

    /// Logs when an outage begins and ends, and every refusal.
    ///
    /// - Returns: how often in a row the collector was unavailable.
    private func note(_ answer: Answer, _ failures: Int) -> Int {
        switch answer {
        case .accepted:
            if failures > 0 { logger.info("The collector accepts spans again") }
            return 0
        case .refused(let reason):
            logger.warning("The collector refused spans; they are dropped", metadata: ["reason": "\(reason)"])
            return 0
        case .unavailable(let reason):
            if failures == 0, !isOver {
                logger.warning("The collector cannot be reached, retrying", metadata: ["reason": "\(reason)"])
            }
            return failures + 1
        }
    }

    /// Waits without ending at wake-ups: a full queue does not bring the collector back.
    private func pause(_ duration: Duration) async {
        // Cancellation and shutdown end it early; the loop sees both.
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }
}

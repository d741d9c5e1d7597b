internal import BackgroundWork
internal import CoreMetrics
internal import DeclaredMetrics
internal import Synchronization

/// Ended spans that wait for the exporter.
///
/// Ending a span never waits: a full queue drops and counts the new span.
final class SpanQueue: Sendable {
    /// Raised when a whole batch waits.
    let signal = WakeSignal()
    let spansMax: Int
    let batchMax: Int
    private let waiting = Mutex<[SpanRecord]>([])
    private let dropped: Counter

    /// - Parameters:
    ///   - spansMax: the most waiting spans.
    ///   - batchMax: the most spans in a batch.
    init(spansMax: Int, batchMax: Int, metrics: any MetricsFactory) {
        self.spansMax = spansMax
        self.batchMax = min(batchMax, spansMax)
        dropped = TraceMetrics.dropped.counter([("reason", "queue_full")], in: metrics)
    }

    func append(_ span: SpanRecord) {
        let count = waiting.withLock { waiting -> Int? in
            guard waiting.count < spansMax else { return nil }
            waiting.append(span)
            return waiting.count
        }
        guard let count else { return dropped.increment() }
        if count == batchMax { signal.wake() }
    }

    /// Whether a whole batch waits.
    var hasBatch: Bool { waiting.withLock { $0.count >= batchMax } }

    /// The oldest ones, none when nothing waits.
    func takeBatch() -> [SpanRecord] {
        waiting.withLock { waiting in
            let batch = Array(waiting.prefix(batchMax))
            waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// Empties the queue.
    ///
    /// - Returns: how many waited.
    func removeAll() -> Int {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting.count
        }
    }
}

import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import Logging
import Metrics
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// Measures the waiting events of endpoints, and providers' receipts that wait for people.
struct QueueSampler: Service {
    /// Wall time between two samples.
    private static let interval = Duration.seconds(15)

    let pool: PostgresPool
    let clock: DomainClock
    let metrics: MetricsRegistry
    let logger: Logger

    func sample() async throws {
        let now = clock.now
        let queue = try await EventRepository.queueState(at: now, on: pool)
        WebhookMetrics.waiting.gauge(in: metrics).record(queue.waiting)
        WebhookMetrics.oldest.gauge(in: metrics).record(max(0, queue.oldestDueAt.map(now.timeIntervalSince) ?? 0))
        for (state, count) in [
            ("enabled", queue.enabled), ("failing", queue.failing), ("disabled", queue.disabled),
        ] { WebhookMetrics.endpoints.gauge([("state", state)], in: metrics).record(count) }
        let kept = try await ReceiptRepository.countsForPeople(on: pool)
        for state in ["waiting", "quarantined", "unreadable", "unknown"] {
            WebhookMetrics.kept.gauge([("state", state)], in: metrics).record(kept[state] ?? 0)
        }
    }

    /// Samples until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("webhook queue", every: Self.interval, logger: logger) { try await sample() }.run()
    }
}

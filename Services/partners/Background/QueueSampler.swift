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

    /// Samples the receipts also where the endpoints or their queues cannot be read, as in a time-out.
    ///
    /// - Throws: a failure, after all that could be measured has been.
    func sample() async throws {
        do {
            try await sampleEndpoints()
        } catch {
            try await sampleReceipts()
            throw error
        }
        try await sampleReceipts()
    }

    private func sampleEndpoints() async throws {
        let endpoints = try await EndpointRepository.endpoints(of: nil, on: pool)
        for (state, count) in [
            ("enabled", endpoints.count { $0.health.disabled == nil && $0.health.failingSince == nil }),
            ("failing", endpoints.count { $0.health.disabled == nil && $0.health.failingSince != nil }),
            ("disabled", endpoints.count { $0.health.disabled == .gone || $0.health.disabled == .failing }),
        ] { WebhookMetrics.endpoints.gauge([("state", state)], in: metrics).record(count) }
        let now = clock.now
        let oldest = try await EventRepository.oldestDueAt(on: pool)
        WebhookMetrics.oldest.gauge(in: metrics).record(max(0, oldest.map(now.timeIntervalSince) ?? 0))
        // The longest read is the last one.
        let waiting = try await EndpointRepository.waiting(of: endpoints.map(\.id), on: pool)
        WebhookMetrics.waiting.gauge(in: metrics).record(waiting.values.reduce(0, +))
    }

    private func sampleReceipts() async throws {
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

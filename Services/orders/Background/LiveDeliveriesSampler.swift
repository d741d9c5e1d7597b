import BackgroundWork
import CoreMetrics
import DomainTime
import Logging
import PostgresClient
import ServiceLifecycle

/// Measures how many deliveries are live, late, at risk, silent and without a courier: one query over the live rows,
/// however often and by however many the metrics are scraped.
struct LiveDeliveriesSampler: Service {
    /// Wall time between two samples; the alerts wait for minutes.
    static let interval = Duration.seconds(15)

    let pool: PostgresPool
    let clock: DomainClock
    let metrics: any MetricsFactory
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("sampling of live deliveries", every: Self.interval, logger: logger) {
            try await sample()
        }.run()
    }

    func sample() async throws {
        let deliveries = try await BoardRepository.liveDeliveries(asOf: clock.now, on: pool)
        OrdersMetrics.record(deliveries, in: metrics)
    }
}

import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import Logging
import Metrics
import PostgresClient
import ServiceLifecycle

/// Measures how many cards are behind and for how long.
struct BehindCardsSampler: Service {
    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger
    static let interval = Duration.seconds(5)

    func run() async throws {
        try await PeriodicTask("sampling of cards behind", every: Self.interval, logger: logger) {
            try await sample()
        }.run()
    }

    func sample() async throws {
        let behind = try await ActivityRepository.cardsBehind(on: pool)
        DispatchMetrics.cardsBehind.gauge().record(behind.count)
        DispatchMetrics.cardsPastEnd.gauge().record(behind.pastEndCount)
        DispatchMetrics.oldestUnsent.gauge().record(
            behind.oldestSince.map { max(0, clock.now.timeIntervalSince($0)) } ?? 0)
    }
}

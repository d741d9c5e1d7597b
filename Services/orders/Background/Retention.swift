import BackgroundWork
import DomainTime
import Logging
import PostgresClient
import ServiceLifecycle

/// Deletes rows that are older than ``RetentionTimes`` keeps them, once an hour.
struct Retention: Service {
    static let interval = Duration.seconds(3600)

    let pool: PostgresPool
    let clock: DomainClock
    let times: RetentionTimes
    let logger: Logger
    private let imaged = EndedDeliveries()

    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, logger: logger) {
            try await ExpiredRows.delete(on: pool, at: clock.now, keeping: times, imaged: imaged, logger: logger)
        }.run()
    }
}

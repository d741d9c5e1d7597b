import BackgroundWork
import DomainTime
import Logging
import PostgresClient
import ServiceLifecycle

/// Deletes expired rows once an hour: timelines and link presses after 30 days, idempotency keys after 48 hours, and
/// data for a courier at a door, photos and signatures 30 days after their delivery ended.
///
/// Orders are deleted 90 days after their last change, and couriers' names and numbers 90 days after their last delivery.
struct Retention: Service {
    static let interval = Duration.seconds(3600)

    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, logger: logger) {
            try await ExpiredRows.delete(on: pool, at: clock.now)
            try await ExportRepository.deleteExpired(on: pool, at: clock.now)
        }.run()
    }
}

import BackgroundWork
import Logging
import PostgresClient
import ServiceLifecycle

/// Deletes expired rows once an hour: timelines and link presses after 30 days, idempotency keys after 48 hours.
struct Retention: Service {
    static let interval = Duration.seconds(3600)

    let pool: PostgresPool
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, logger: logger) {
            try await ExpiredRows.delete(on: pool)
        }.run()
    }
}

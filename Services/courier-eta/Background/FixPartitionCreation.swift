import BackgroundWork
import DomainTime
import Logging
import ServiceLifecycle

/// Creates the partitions of the days around now, every domain hour.
struct FixPartitionCreation: Service {
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    let partitions: FixPartitions
    let clock: DomainClock
    let logger: Logger

    /// Creates them until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("partitions of fixes", every: Self.interval, on: clock, logger: logger) {
            try await partitions.create(around: clock.now)
        }.run()
    }
}

import BackgroundWork
import DomainTime
import Logging
import ServiceLifecycle

/// Creates the partitions of fixes several days ahead, every domain hour.
struct FixPartitionCreation: Service {
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    let partitions: FixPartitions
    let clock: DomainClock
    let logger: Logger

    /// Creates them until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("partitions of fixes", every: Self.interval, on: clock, logger: logger) {
            try await partitions.createAhead(of: clock.now)
        }.run()
    }
}

import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Creates the daily partitions of fixes before they are needed.
final class FixPartitions: Service {
    static let daySeconds = 86_400.0
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    private let pool: PostgresPool
    private let clock: DomainClock
    private let logger: Logger
    /// The newest day number for which its partition and its neighbours' are known to exist.
    private let createdAround = Mutex<Int?>(nil)

    init(pool: PostgresPool, clock: DomainClock, logger: Logger) {
        self.pool = pool
        self.clock = clock
        self.logger = logger
    }

    /// Creates the partitions of the day before, this one and the next, unless they are known to exist.
    func create(around now: Date) async throws {
        let day = Int((now.timeIntervalSince1970 / Self.daySeconds).rounded(.down))
        guard createdAround.withLock({ $0 != day }) else { return }
        for offset in [-1.0, 0, 1] {
            try await FixRepository.createPartition(of: now.addingTimeInterval(offset * Self.daySeconds), on: pool)
        }
        createdAround.withLock { $0 = day }
    }

    /// Creates them every domain hour until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("partitions of fixes", every: Self.interval, on: clock, logger: logger) {
            try await self.create(around: self.clock.now)
        }.run()
    }
}

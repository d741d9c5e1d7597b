import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Keeps the days that fixes are stored by: makes them before they are needed, drops them after a week.
final class FixDays: Service {
    /// Days that fixes are kept, whole.
    static let keptDays = 7.0
    /// Days that an ended delivery is kept, as long as its activity's tombstone.
    static let deliveriesKeptDays = 14.0
    /// Days that a revoked phone stays in the list, as long as stories are kept.
    static let phonesKeptDays = 30.0
    static let daySeconds = 86_400.0
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    private let pool: PostgresPool
    private let clock: DomainClock
    private let logger: Logger
    /// The last day number for which it and its neighbours are known to be there.
    private let madeAround = Mutex<Int?>(nil)

    init(pool: PostgresPool, clock: DomainClock, logger: Logger) {
        self.pool = pool
        self.clock = clock
        self.logger = logger
    }

    /// Makes the day before, this one and the next, unless this process knows them to be there.
    func make(around now: Date) async throws {
        let day = Int((now.timeIntervalSince1970 / Self.daySeconds).rounded(.down))
        guard madeAround.withLock({ $0 != day }) else { return }
        for offset in [-1.0, 0, 1] {
            try await CourierETARepository.makeDay(of: now.addingTimeInterval(offset * Self.daySeconds), on: pool)
        }
        madeAround.withLock { $0 = day }
    }

    /// Drops what is older than its time.
    func drop(at now: Date) async throws {
        let days = try await CourierETARepository.dropDays(
            before: now.addingTimeInterval(-Self.keptDays * Self.daySeconds), on: pool)
        let deliveries = try await CourierETARepository.deleteDeliveries(
            endedBefore: now.addingTimeInterval(-Self.deliveriesKeptDays * Self.daySeconds), on: pool)
        // Duty says which fixes may be kept, so it is kept as long as they are.
        let duties = try await PhoneRepository.deleteDuties(
            endedBefore: now.addingTimeInterval(-Self.keptDays * Self.daySeconds), on: pool)
        let phones = try await PhoneRepository.deletePhones(
            revokedBefore: now.addingTimeInterval(-Self.phonesKeptDays * Self.daySeconds), on: pool)
        guard days + deliveries + duties + phones > 0 else { return }
        logger.info(
            "Old fixes, deliveries, duties and phones were deleted",
            metadata: [
                "days": "\(days)", "deliveries": "\(deliveries)", "duties": "\(duties)", "phones": "\(phones)",
            ])
    }

    /// Looks every domain hour until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("partitions of fixes", every: Self.interval, on: clock, logger: logger) {
            let now = self.clock.now
            try await self.make(around: now)
            try await self.drop(at: now)
        }.run()
    }
}

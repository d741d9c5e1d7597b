import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ReliableMessaging
import ServiceLifecycle

/// Deletes rows past their retention: fixes, ended deliveries, duties, revoked phones, completed legs and dwells.
struct Retention: Service {
    /// Days that fixes are kept, whole partitions; duties too, since they decide which fixes may be kept.
    static let fixesDays = 7.0
    /// Days that an ended delivery is kept, as long as its activity's tombstone.
    static let deliveriesDays = 14.0
    /// Days that a revoked phone is listed, as long as a timeline is kept.
    static let phonesDays = 30.0
    /// Days that completed legs and dwells are kept.
    static let completedDays = 90.0
    /// Days that a courier's last place is kept, which maps show for two minutes.
    static let placesDays = 1.0 / 24
    /// Rows of a transaction.
    static let rowsMax = 5_000
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger

    func delete(at now: Date) async throws {
        func date(before days: Double) -> Date { now.addingTimeInterval(-days * FixPartitions.daySeconds) }
        let partitions = try await FixRepository.dropPartitions(before: date(before: Self.fixesDays), on: pool)
        let deliveries = try await DeliveryRepository.delete(
            endedBefore: date(before: Self.deliveriesDays), rowsMax: Self.rowsMax, on: pool)
        let duties = try await PhoneRepository.deleteDuties(
            endedBefore: date(before: Self.fixesDays), rowsMax: Self.rowsMax, on: pool)
        let phones = try await PhoneRepository.deletePhones(
            revokedBefore: date(before: Self.phonesDays), rowsMax: Self.rowsMax, on: pool)
        let completed = try await CompletedLegRepository.delete(
            completedBefore: date(before: Self.completedDays), rowsMax: Self.rowsMax, on: pool)
        let places = try await CourierPlaceRepository.forget(
            seenBefore: date(before: Self.placesDays), rowsMax: Self.rowsMax, on: pool)
        try await ErasureParts.deleteExpired(on: pool)
        guard partitions + deliveries + duties + phones + completed + places > 0 else { return }
        logger.info(
            "Data past its retention was deleted",
            metadata: [
                "fix_partitions": "\(partitions)", "deliveries": "\(deliveries)", "duties": "\(duties)",
                "phones": "\(phones)", "places": "\(places)", "completed_legs_and_dwells": "\(completed)",
            ])
    }

    /// Deletes every domain hour until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, on: clock, logger: logger) {
            try await delete(at: clock.now)
        }.run()
    }
}

import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ReliableMessaging
import ServiceLifecycle

/// Deletes rows past their retention: fixes, ended deliveries, duties, revoked phones, completed
/// legs and dwells, couriers.
struct Retention: Service {
    /// Domain seconds that a courier's last place is kept, which maps show for two minutes.
    static let placesSeconds = 3_600.0
    /// Rows of a transaction.
    static let rowsMax = 5_000
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    let pool: PostgresPool
    let clock: DomainClock
    var times = RetentionTimes()
    let logger: Logger

    func delete(at now: Date) async throws {
        func date(before days: Int) -> Date { now.addingTimeInterval(-Double(days) * FixPartitions.daySeconds) }
        var steps = RetentionSteps()
        try await steps.run("fix_partitions") { try await dropPartitions(before: date(before: times.fixesDays)) }
        try await steps.run("deliveries") {
            try await DeliveryRepository.delete(
                endedBefore: date(before: times.estimatesDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("duties") {
            try await PhoneRepository.deleteDuties(
                endedBefore: date(before: times.fixesDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("phones") {
            try await PhoneRepository.deletePhones(
                revokedBefore: date(before: times.phonesDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("completed_legs_and_dwells") {
            try await CompletedLegRepository.delete(
                completedBefore: date(before: times.ridesDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("places") {
            try await CourierPlaceRepository.forget(
                seenBefore: now.addingTimeInterval(-Self.placesSeconds), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("couriers") {
            try await CourierRepository.delete(
                seenBefore: date(before: times.seenCouriersDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("erasure_receipts") { try await ErasureParts.deleteExpired(on: pool) }
        try steps.finish(logger: logger)
    }

    /// Drops the partitions of earlier days; none while a long reader, such as a dump, holds them: the next run does.
    private func dropPartitions(before date: Date) async throws -> Int {
        do {
            return try await FixRepository.dropPartitions(before: date, on: pool)
        } catch let error as PostgresError where error.isLockTimeout {
            logger.notice("Expired fixes are kept for another hour: a long query or a dump reads their table")
            return 0
        }
    }

    /// Deletes every domain hour until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, on: clock, logger: logger) {
            try await delete(at: clock.now)
        }.run()
    }
}

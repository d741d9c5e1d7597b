import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ReliableMessaging
import ServiceLifecycle

/// Deletes rows that are older than ``RetentionTimes`` keeps them.
struct Retention: Service {
    static let interval = Duration.seconds(600)
    static let rowsMax = 5_000

    let pool: PostgresPool
    let clock: DomainClock
    var times = RetentionTimes()
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, logger: logger) { try await deleteExpired() }.run()
    }

    /// Deletes in small transactions, so that no lock is held for long.
    func deleteExpired() async throws {
        let now = clock.now
        for deletion in ExpiredRows.deletions(at: now, keeping: times, rowsMax: Self.rowsMax) {
            try await pool.execute(inBatchesOf: Self.rowsMax, deletion)
        }
        try await ExpiredRows.deleteDevices(at: now, keeping: times, rowsMax: Self.rowsMax, on: pool)
        // Customers go with their last device and activity.
        try await pool.execute(
            inBatchesOf: Self.rowsMax, ExpiredRows.deletingCustomers(rowsMax: Self.rowsMax))
        try await ErasureParts.deleteExpired(on: pool)
    }
}

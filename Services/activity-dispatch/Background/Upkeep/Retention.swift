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
    private let cardHealth = UnusedRows(in: "card_health", by: "delivery_id")
    private let customers = UnusedRows(in: "customers", by: "customer_id")

    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, logger: logger) { try await deleteExpired() }.run()
    }

    /// Deletes in small transactions, so that no lock is held for long.
    func deleteExpired() async throws {
        let now = clock.now
        var steps = RetentionSteps()
        for (name, deletion) in ExpiredRows.deletions(at: now, keeping: times, rowsMax: Self.rowsMax) {
            try await steps.run(name) { try await pool.execute(inBatchesOf: Self.rowsMax, deletion) }
        }
        try await steps.run("card_health") {
            try await cardHealth.delete(
                at: now, inPagesOf: Self.rowsMax, where: ExpiredRows.isUnusedHealth(at: now, keeping: times), on: pool)
        }
        try await steps.run("devices") {
            try await ExpiredRows.deleteDevices(at: now, keeping: times, rowsMax: Self.rowsMax, on: pool)
        }
        // Customers go with their last device and activity.
        try await steps.run("customers") {
            try await customers.delete(
                at: now, inPagesOf: Self.rowsMax, where: ExpiredRows.isUnusedCustomer, on: pool)
        }
        try await steps.run("erasure_receipts") { try await ErasureParts.deleteExpired(on: pool) }
        try steps.finish(logger: logger)
    }
}

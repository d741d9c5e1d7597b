import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ReliableMessaging
import ServiceLifecycle

/// Deletes expired sessions, and triage long after the end of its deliveries.
struct Retention: Service {
    /// Rows of a transaction.
    static let rowsMax = 5_000
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)

    let pool: PostgresPool
    let clock: DomainClock
    var times = RetentionTimes()
    let logger: Logger

    func delete(at now: Date, wall: Date) async throws {
        var steps = RetentionSteps()
        try await steps.run("sessions") {
            try await SessionRepository.deleteExpired(at: wall, rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("triage") {
            try await TriageRepository.delete(
                changedBefore: now.addingTimeInterval(-Double(times.triageDays) * 86_400), rowsMax: Self.rowsMax,
                on: pool)
        }
        try await steps.run("erasure_receipts") { try await ErasureParts.deleteExpired(on: pool) }
        try steps.finish(logger: logger)
    }

    /// Deletes every domain hour until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, on: clock, logger: logger) {
            try await delete(at: clock.now, wall: Date())
        }.run()
    }
}

import BackgroundWork
import DomainTime
import Foundation
import Logging
import PostgresClient
import ReliableMessaging
import ServiceLifecycle

/// Deletes rows past their retention: receipts, events with the log of their attempts, removed endpoints, deliveries
/// and providers' references.
struct Retention: Service {
    /// Rows of a transaction.
    static let rowsMax = 5_000
    /// Domain time between two runs.
    static let interval = Duration.seconds(3_600)
    /// Domain seconds after an erasure from which on no webhook of that moment is searched for.
    private static let lateSeconds: TimeInterval = 86_400

    let pool: PostgresPool
    let clock: DomainClock
    var times = RetentionTimes()
    let logger: Logger

    func delete(at now: Date) async throws {
        func date(before days: Int) -> Date { now.addingTimeInterval(-Double(days) * 86_400) }
        var steps = RetentionSteps()
        try await steps.run("receipts") {
            try await pool.withTransaction(retriesMax: 3) { transaction in
                try await ErasureRepository.eraseLate(
                    erasedAfter: now.addingTimeInterval(-Self.lateSeconds), in: transaction)
            }
        }
        try await steps.run("receipts") {
            try await ReceiptRepository.delete(
                receivedBefore: date(before: times.receiptsDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("events") {
            try await EventRepository.delete(before: date(before: times.eventsDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("events") {
            try await EventRepository.deleteRemovedEndpoints(rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("deliveries") {
            try await DeliveryRepository.delete(
                seenBefore: date(before: times.deliveriesDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("references") {
            try await SourceRepository.deleteReferences(
                setBefore: date(before: times.deliveriesDays), rowsMax: Self.rowsMax, on: pool)
        }
        try await steps.run("erasure_receipts") { try await ErasureParts.deleteExpired(on: pool) }
        try steps.finish(logger: logger)
    }

    /// Deletes every domain hour until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("retention", every: Self.interval, on: clock, logger: logger) {
            try await delete(at: clock.now)
        }.run()
    }
}

import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Republishes the snapshot and the intent of every live delivery, so that a broker or a peer that lost them is resynced.
struct SnapshotRepublisher: Sendable {
    let clock: DomainClock
    let messages: DeliveryMessages

    /// Enqueues the snapshots and intents of the slice's next deliveries.
    @Sendable func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishedPage {
        let now = clock.now
        let rows = try await transaction.republishableRows(
            OrderRepository.republishableRows(
                of: slice, rowsMax: rowsMax, endedAfter: now.addingTimeInterval(-Resync.secondsAfterEnd)))
        return try await RepublishedPage.enqueuing(rows, rowsMax: rowsMax, in: transaction) { row in
            let record = try OrderRepository.record(row)
            var all = try messages.messages(for: record, cause: "republished", at: now)
            // The writer of the others says by itself that what it said is still true; here nobody does.
            if !OrderIntents.writesActivity(record.delivery) {
                all.append(try messages.intentMessage(for: record, at: record.delivery.statusSince))
            }
            return all
        }
    }
}

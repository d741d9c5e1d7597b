import DomainTime
import Foundation
import Messages
import PostgresClient
import ReliableMessaging

/// Publishes the health of every live delivery's cards again, and makes the devices with open cards of it due.
///
/// The reconciler is level-triggered, so a device whose cards are up to date is pushed nothing.
struct SnapshotRepublisher: Sendable {
    let clock: DomainClock

    func page(
        after cursor: String?, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishedPage {
        let now = clock.now
        let rows = try await CardHealthRepository.rows(
            after: cursor, rowsMax: rowsMax, changedAfter: now.addingTimeInterval(-Resync.secondsAfterEnd),
            in: transaction)
        if let last = try rows.last?.decode("delivery_id", as: String.self) {
            try await ActivityRepository.makeDue(after: cursor, upTo: last, at: now, in: transaction)
        }
        return try await RepublishedPage.enqueuing(rows, rowsMax: rowsMax, id: "delivery_id", in: transaction) {
            [try .cardHealth(CardHealthChanged($0))]
        }
    }
}

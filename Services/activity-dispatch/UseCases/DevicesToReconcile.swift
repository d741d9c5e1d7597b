import DomainTime
import Foundation
import Messages
import PostgresClient
import ReliableMessaging

/// Makes devices due whose cards may lack something, a slice of the activities at a time; it publishes nothing.
///
/// Its round is independent of ``SnapshotRepublisher``: it needs no broker, and keeps no device locked while that one
/// waits for an answer. The reconciler is level-triggered, so a device whose cards are up to date receives no push.
/// Cards of activities that ended longer ago than `Resync.secondsAfterEnd` are checked on request alone
/// (``ActivityRepository/makeAllDue(at:on:)``).
struct DevicesToReconcile: RepublishedRows {
    let clock: DomainClock

    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage {
        let now = clock.now
        let rows = try await transaction.republishableRows(
            slice.rows("delivery_id", of: "activities", id: "activity_id", at: now, rowsMax: rowsMax))
        if !rows.isEmpty {
            let activities = try rows.map { try $0.decode("republish_id", as: String.self) }
            try await transaction.execute(ActivityRepository.makeDue(lacking: activities, at: now))
        }
        return try RepublishablePage(rows, rowsMax: rowsMax) { id, _ in RepublishableObject(id: id, revisions: [:]) }
    }

    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages {
        try RepublishedMessages([]) { _ in [] }
    }
}

import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Resync: publishes every live delivery's estimate and activity again, so that losing the broker repairs itself.
struct SnapshotRepublisher: Sendable {
    let clock: DomainClock
    let trackingMessages: TrackingMessages

    /// One page, at the steps that were published last; with milestones that are missing in the snapshot of `orders`.
    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishedPage {
        let now = clock.now
        let rows = try await transaction.republishableRows(
            DeliveryRepository.republishableRows(
                of: slice, rowsMax: rowsMax, endedAfter: now.addingTimeInterval(-Resync.secondsAfterEnd)))
        return try await RepublishedPage.enqueuing(rows, rowsMax: rowsMax, in: transaction) { row in
            let tracked = try DeliveryRepository.tracked(row)
            return try trackingMessages.messages(
                for: tracked, milestones: tracked.tracking.detector.unreported(to: tracked.delivery), at: now)
        }
    }
}

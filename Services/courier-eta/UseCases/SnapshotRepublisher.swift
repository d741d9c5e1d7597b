import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// What of every live delivery is republished where it is lacking: its estimate and its activity, at the steps that were
/// published last, and milestones that are missing in the snapshot of `orders`.
struct SnapshotRepublisher: Sendable {
    let clock: DomainClock
    let trackingMessages: TrackingMessages

    /// The slice's next deliveries.
    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage {
        let now = clock.now
        let rows = try await transaction.republishableRows(
            DeliveryRepository.republishableRows(
                of: slice, rowsMax: rowsMax, endedAfter: now.addingTimeInterval(-Resync.secondsAfterEnd)))
        return try RepublishablePage(rows, rowsMax: rowsMax) { id, row in
            let tracked = try DeliveryRepository.tracked(row)
            let milestones = tracked.tracking.detector.unreported(to: tracked.delivery)
            return RepublishableThing(
                id: id, revisions: Self.revisions(of: tracked), isUnconfirmed: !milestones.isEmpty
            ) { try trackingMessages.messages(for: tracked, milestones: milestones, at: now) }
        }
    }

    /// What `orders` should have of the estimate, and `activity-dispatch` of the activity, where this service writes them.
    static func revisions(of tracked: TrackedDelivery) -> [String: PublishedRevision] {
        let delivery = tracked.delivery
        var revisions: [String: PublishedRevision] = [:]
        if TrackingMessages.publishesEstimate(of: tracked) {
            revisions[Subject.ordersEstimates] = PublishedRevision(
                id: delivery.id.rawValue, version: delivery.version, step: tracked.step)
        }
        if ActivityIntents.writesActivity(delivery) {
            revisions[Subject.activityDispatchIntents] = PublishedRevision(
                id: ActivityID(delivery.id, episode: delivery.episode).rawValue, isEnded: delivery.status.isEnded,
                version: delivery.version, step: tracked.step, isProlonged: !delivery.status.isEnded)
        }
        return revisions
    }
}

import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Republishes every live delivery's estimate and activity where a reader lacks them, at their last published steps,
/// milestones that the snapshot of `orders` lacks, and estimates of ended deliveries with the errors of what was shown.
struct SnapshotRepublisher: RepublishedRows {
    let clock: DomainClock
    let trackingMessages: TrackingMessages

    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage {
        let rows = try await transaction.republishableRows(
            DeliveryRepository.republishableRows(of: slice, rowsMax: rowsMax, at: clock.now))
        return try RepublishablePage(rows, rowsMax: rowsMax) { id, row in
            let delivery: DeliveryRevision = try row.decodeJSON("revision")
            let detector: MilestoneDetector = try row.decodeJSON("detector")
            return RepublishableObject(
                id: id,
                revisions: Self.revisions(
                    of: delivery, step: try row.decode("step"), hasEstimate: try row.decode("has_estimate"),
                    hasErrors: try row.decode("has_errors")),
                isUnconfirmed: !detector.unreported(to: delivery).isEmpty)
        }
    }

    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages {
        let now = clock.now
        return try RepublishedMessages(try await DeliveryRepository.republishedRows(ids, in: transaction)) { row in
            let tracked = try DeliveryRepository.tracked(row)
            let milestones = tracked.tracking.detector.unreported(to: DeliveryRevision(tracked.delivery))
            return try trackingMessages.messages(for: tracked, milestones: milestones, at: now)
        }
    }

    /// The revisions that `orders` should have of the estimate, and `activity-dispatch` of the activity, where this
    /// service writes them.
    static func revisions(
        of delivery: DeliveryRevision, step: Int, hasEstimate: Bool, hasErrors: Bool
    ) -> [String: PublishedRevision] {
        let isEnded = delivery.status.isEnded
        var revisions: [String: PublishedRevision] = [:]
        if hasEstimate, delivery.courier != nil, !isEnded || hasErrors {
            revisions[Subject.ordersEstimates] = PublishedRevision(
                id: delivery.id.rawValue, version: delivery.version, step: step)
        }
        if delivery.holder == .courierETA {
            revisions[Subject.activityDispatchIntents] = PublishedRevision(
                id: ActivityID(delivery.id, episode: delivery.episode).rawValue, isEnded: isEnded,
                version: delivery.version, step: step, isProlonged: !isEnded)
        }
        return revisions
    }
}

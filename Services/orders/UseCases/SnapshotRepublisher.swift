import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Republishes every live delivery's snapshot and intent where a reader lacks them.
struct SnapshotRepublisher: RepublishedRows {
    let clock: DomainClock
    let messages: DeliveryMessages

    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage {
        let rows = try await transaction.republishableRows(
            OrderRepository.republishableRows(of: slice, rowsMax: rowsMax, at: clock.now))
        return try RepublishablePage(rows, rowsMax: rowsMax) { id, row in
            RepublishableObject(id: id, revisions: Self.revisions(of: try row.decodeJSON("revision")))
        }
    }

    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages {
        let now = clock.now
        return try RepublishedMessages(try await OrderRepository.republishedRows(ids, in: transaction)) { row in
            let record = try OrderRepository.record(row)
            var all = try messages.messages(for: record, cause: "republished", at: now)
            // The other writer repeats its own intents; for these no service does.
            if !OrderIntents.writesActivity(record.delivery) {
                all.append(try messages.intentMessage(for: record, at: record.delivery.statusSince))
            }
            return all
        }
    }

    /// The revisions that `partners` should have of the delivery, `courier-eta` where it receives the delivery, and
    /// `activity-dispatch` of its activity.
    static func revisions(of delivery: DeliveryRevision) -> [String: PublishedRevision] {
        let isEnded = delivery.status.isEnded
        var revisions = [
            Subject.activityDispatchIntents: PublishedRevision(
                id: ActivityID(delivery.id, episode: delivery.episode).rawValue, isEnded: isEnded,
                version: delivery.version, isProlonged: !isEnded && delivery.holder == .orders),
            Subject.partnersDeliveries: PublishedRevision(
                id: delivery.id.rawValue, isEnded: isEnded, version: delivery.version),
        ]
        if DeliveryMessages.subject(of: delivery) == Subject.deliveriesChanged {
            revisions[Subject.courierETADeliveries] = PublishedRevision(
                id: delivery.id.rawValue, isEnded: isEnded, version: delivery.version)
        }
        return revisions
    }
}

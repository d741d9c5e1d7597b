import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Republishes the card health of every live delivery where a reader lacks it.
struct SnapshotRepublisher: RepublishedRows {
    let clock: DomainClock

    /// Reads activities, whose rows have the time of their end.
    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage {
        let rows = try await transaction.republishableRows(
            CardHealthRepository.republishableRows(of: slice, rowsMax: rowsMax, at: clock.now))
        return try RepublishablePage(rows, rowsMax: rowsMax) { id, row in
            guard try row.decode("sequence", as: Int?.self) != nil else {
                return RepublishableObject(id: id, revisions: [:])
            }
            let health = try CardHealthChanged(row)
            let revision = PublishedRevision(id: health.delivery.rawValue, version: health.sequence)
            return RepublishableObject(id: id, revisions: [Subject.ordersCardHealth: revision])
        }
    }

    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages {
        let rows = try await CardHealthRepository.republishedRows(ids, in: transaction)
        return try RepublishedMessages(rows) { [try .cardHealth(CardHealthChanged($0))] }
    }
}

import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Republishes the reports of every live or recently ended delivery where `orders` lacks them.
struct ReportRepublisher: RepublishedRows {
    let clock: DomainClock

    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage {
        let rows = try await transaction.republishableRows(
            ReceiptRepository.republishableRows(of: slice, rowsMax: rowsMax, at: clock.now))
        return try RepublishablePage(rows, rowsMax: rowsMax) { id, row in
            RepublishableObject(
                id: id,
                revisions: [Subject.ordersReports: PublishedRevision(id: id, version: try row.decode("reports"))])
        }
    }

    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages {
        try RepublishedMessages(try await ReceiptRepository.reportRows(ids, in: transaction)) { row in
            guard let delivery = DeliveryID(rawValue: try row.decode("republish_id")) else { return [] }
            return try ReportMessages.messages(of: try ReceiptRepository.report(row), for: delivery)
        }
    }
}

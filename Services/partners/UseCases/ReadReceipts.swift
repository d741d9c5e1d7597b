import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Reads providers' events and their outcomes.
struct ReadReceipts: Sendable {
    /// Receipts of one page.
    static let pageRows = 100

    let pool: PostgresPool

    /// A page of receipts, newest first, without the webhooks in which they came.
    func callAsFunction(_ filter: ReceiptFilter) async throws -> ReceiptsBody {
        let rows = try await ReceiptRepository.receipts(filter, rowsMax: Self.pageRows, on: pool)
        let next = rows.count < Self.pageRows ? nil : rows.last?.cursor.text
        return ReceiptsBody(receipts: rows.map(\.body), next: next)
    }

    /// One receipt with its webhook; nil where the caller may see no such receipt.
    ///
    /// - Parameter scope: the only store whose sources' receipts the caller may see; nil for all.
    func receipt(_ id: UUID, within scope: StoreID?) async throws -> ReceiptBody? {
        try await ReceiptRepository.receipt(id, within: scope, on: pool)
    }
}

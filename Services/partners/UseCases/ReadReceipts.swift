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
        let page = try await ReceiptRepository.receipts(filter, rowsMax: Self.pageRows, on: pool)
        return ReceiptsBody(receipts: page.receipts, next: page.next?.text)
    }

    /// One receipt with its webhook; nil where the caller may see no such receipt.
    ///
    /// - Parameters:
    ///   - scope: the only store whose sources' receipts the caller may see; nil for all.
    ///   - showsBody: false leaves the webhook out.
    func receipt(_ id: UUID, within scope: StoreID?, showsBody: Bool) async throws -> ReceiptBody? {
        let receipt = try await ReceiptRepository.receipt(id, within: scope, on: pool)
        return showsBody ? receipt : receipt?.withoutBody
    }
}

extension ReceiptBody {
    fileprivate var withoutBody: ReceiptBody {
        ReceiptBody(
            id: id, source: source, kind: kind, references: references, state: state, isKnown: isKnown,
            delivery: delivery, receivedAt: receivedAt, dismissal: dismissal)
    }
}

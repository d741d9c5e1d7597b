import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Dismisses a provider's event without an effect: it no longer waits for a person, and is never applied.
///
/// An event of unknown meaning can be dismissed after it was applied too; its effect on the delivery stays.
struct DismissReceipt: Sendable {
    let pool: PostgresPool
    let clock: DomainClock

    enum Refusal: Error, Hashable {
        case notFound(UUID)
        case alreadyApplied(UUID)
    }

    /// - Parameters:
    ///   - subject: the caller.
    ///   - scope: the only store of the receipt's source; nil for all.
    /// - Returns: the receipt, which a second call leaves as the first made it.
    func callAsFunction(
        _ id: UUID, by subject: String, reason: String, within scope: StoreID?
    ) async throws -> ReceiptBody {
        let dismissal = ReceiptBody.Dismissal(by: subject, at: clock.now, reason: reason)
        // A concurrent application locks the row, so each transaction sees the other's result.
        try await ReceiptRepository.dismiss(id, as: dismissal, within: scope, on: pool)
        guard let receipt = try await ReceiptRepository.receipt(id, within: scope, on: pool) else {
            throw Refusal.notFound(id)
        }
        guard receipt.state == .dismissed else { throw Refusal.alreadyApplied(id) }
        return receipt
    }
}

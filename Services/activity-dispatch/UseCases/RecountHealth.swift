import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Counts the health of deliveries again whose cards have come or left outside a reconciliation: a reconciliation reads
/// no card that has left, and counts no card that waits as before.
struct RecountHealth: Sendable {
    let outbox: any Outbox

    /// Counts the deliveries of the cards that are counted after a change and were not before it, or the reverse; for
    /// a transaction that holds the devices' locks and has written the cards.
    ///
    /// - Returns: the inserted messages, for the caller to publish after the commit.
    func callAsFunction(
        from before: [StoredCard], to after: [Card], at now: Date, in transaction: PostgresTransaction
    ) async throws -> OutboxBatch {
        let counted = Set(before.map(\.card).filter(\.state.isCounted).map(\.id))
        let moved = after.filter { $0.state.isCounted != counted.contains($0.id) }.map(\.activity)
        let activities = try await ActivityRepository.activities(Array(Set(moved)), in: transaction)
        let changes = try await CardHealthRepository.recount(
            Set(activities.values.compactMap(\.delivery)), at: now, in: transaction)
        let messages = outbox.batch(of: try changes.map(OutboxMessage.cardHealth))
        if !changes.isEmpty { try await transaction.batch(messages.insertion) }
        return messages
    }
}

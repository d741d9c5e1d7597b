import OrderDomain
import PostgresClient
import ReliableMessaging

/// Applies receipts that waited until their delivery became known.
struct ApplyWaiting: Sendable {
    let pool: PostgresPool
    let outbox: any Outbox

    /// - Parameter deliveries: deliveries that became known, by themselves or by a provider's reference.
    func callAsFunction(for deliveries: Set<DeliveryID>) async throws {
        guard !deliveries.isEmpty else { return }
        let messages = try await pool.withTransaction(retriesMax: 3) { transaction in
            let waiting = try await ReceiptRepository.lockWaiting(for: deliveries.sorted(), in: transaction)
            guard !waiting.isEmpty else { return OutboxBatch([]) }
            let messages = outbox.batch(
                of: try waiting.flatMap { try ReportMessages.messages(of: $0.report, for: $0.delivery) })
            let reported = waiting.filter { $0.report != nil }.map(\.delivery)
            try await transaction.commit(
                with: [ReceiptRepository.markApplied(waiting)]
                    + ReceiptRepository.count(reported) + messages.insertion)
            return messages
        }
        outbox.publish(messages)
    }
}

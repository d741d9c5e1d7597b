import DomainTime
import Messages
import PostgresClient
import ReliableMessaging

/// Erases what was sent and received about a customer's deliveries, when `orders` asks it.
struct ErasePerson: Sendable {
    let pool: PostgresPool
    let clock: DomainClock

    func callAsFunction(_ request: ErasureRequest) async throws -> ErasureReceipt {
        let now = clock.now
        return try await ErasureParts.once(request, on: pool) { rows in
            try await ErasureRepository.erase(
                request.deliveries.map(\.delivery), mentionedBy: request.mentionedIDs, at: now, from: &rows)
            try await rows.eraseCopies(keys: request.deliveryIDs, mentioned: request.mentionedIDs)
        }
    }
}

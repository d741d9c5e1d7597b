import Messages
import PostgresClient
import ReliableMessaging

/// Erases a customer from this service's rows, when `orders` asks it.
///
/// A delivery stays as `orders` has it without its customer, so that late messages lose against its version. Legs and
/// dwells that were learned from it have neither delivery nor place, and stay; fixes are the courier's.
struct ErasePerson: Sendable {
    let pool: PostgresPool
    let tracker: DeliveryTracker

    func callAsFunction(_ request: ErasureRequest) async throws -> ErasureReceipt {
        let erased = request.deliveries.map { tracker.begin($0, after: nil) }
        return try await ErasureParts.once(request, on: pool) { rows in
            try await rows.transaction.execute(DeliveryRepository.forgetDoors(of: request.deliveryIDs))
            try await rows.erase("deliveries", try DeliveryRepository.replaceErased(erased))
            try await rows.eraseCopies(keys: request.deliveryIDs, mentioned: request.mentionedIDs)
        }
    }
}

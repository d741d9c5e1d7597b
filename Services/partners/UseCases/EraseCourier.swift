import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Puts a pseudonym in the place of a courier in what was sent and received about deliveries, when `orders` asks it.
struct EraseCourier: Sendable {
    /// Domain hours after an end in which a late message may still come.
    private static let lateHours = 48.0

    let pool: PostgresPool
    let clock: DomainClock

    func callAsFunction(_ request: CourierErasureRequest) async throws -> ErasureReceipt {
        let now = clock.now
        return try await ErasureParts.once(request, on: pool) { rows in
            try await CourierErasureRepository.erase(
                request, insertingEndedAfter: now.addingTimeInterval(-Self.lateHours * 3_600), at: now, from: &rows)
            try await rows.eraseDeadLetters(mentioning: request.courier.mentions)
        }
    }
}

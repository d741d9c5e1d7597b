import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Puts a pseudonym in the place of a courier in what was sent and received about deliveries, when `orders` asks it.
///
/// Versions whose messages have not arrived are asked for first, and their events made: `orders` has them without the
/// courier, and the messages are about nothing then.
struct EraseCourier: Sendable {
    /// Domain hours after an end in which a late message may still come.
    private static let lateHours = 48.0

    let pool: PostgresPool
    let clock: DomainClock
    let applyDeliveryChange: ApplyDeliveryChange

    func callAsFunction(_ request: CourierErasureRequest) async throws -> ErasureReceipt {
        let now = clock.now
        let late = now.addingTimeInterval(-Self.lateHours * 3_600)
        for (delivery, versions) in try await CourierErasureRepository.unseen(request, knownSince: late, on: pool) {
            // Of an ended delivery the version without the courier is none of the shop's.
            try await applyDeliveryChange.catchUp(
                delivery, versions, without: delivery.endedAt == nil ? nil : request.deliveries[0].cause)
        }
        return try await PersonalReadLog.erasing(.courier, of: request, on: pool) { rows in
            try await CourierErasureRepository.erase(
                request, insertingEndedAfter: late, at: now, from: &rows)
            guard request.isLast else { return }
            try await rows.eraseDeadLetters(of: request)
        }
    }
}

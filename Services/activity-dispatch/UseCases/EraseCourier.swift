import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Erases a courier's name from what was and is shown of their deliveries, when `orders` asks it.
///
/// Ends that are on their way and pushes in flight come first. The cards stay their customers': nothing is sent to a
/// device, and a name on a screen leaves it with the card.
struct EraseCourier: Sendable {
    /// Domain hours after an end in which a late intent may still come.
    private static let lateHours = 48.0

    let pool: PostgresPool
    let clock: DomainClock

    func callAsFunction(_ request: CourierErasureRequest) async throws -> ErasureReceipt {
        if request.mayWait, try await CourierErasureRepository.isInMotion(request, on: pool) {
            return ErasureReceipt(isWaiting: true)
        }
        let now = clock.now
        let late = now.addingTimeInterval(-Self.lateHours * 3_600)
        let ends = request.deliveries.filter { $0.delivery.endedAt.map { $0 > late } ?? false }
            .flatMap { ErasePerson.ends(of: $0.delivery) }
        return try await PersonalReadLog.erasing(.courier, of: request, on: pool) { rows in
            try await CourierErasureRepository.erase(request, ends: ends, at: now, from: &rows)
            guard request.isLast else { return }
            try await rows.eraseDeadLetters(of: request)
        }
    }
}

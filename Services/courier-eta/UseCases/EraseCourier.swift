import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Erases a courier from this service's rows, when `orders` asks it.
///
/// The courier's phones are revoked first, and stay as revoked phones of a pseudonym: every process refuses them before
/// positions are erased, so none arrives afterwards.
struct EraseCourier: Sendable {
    /// Wall seconds after which every process has read which phones are revoked.
    static let refusalSeconds = 10.0
    /// Domain hours after an end in which a late message may still come.
    private static let lateHours = 48.0

    let pool: PostgresPool
    let clock: DomainClock
    let tracker: DeliveryTracker
    let phones: PhoneCache

    func callAsFunction(_ request: CourierErasureRequest) async throws -> ErasureReceipt {
        let now = clock.now
        if request.isQuestion {
            return ErasureReceipt(
                onDutyUntil: try await PhoneRepository.dutyEnd(of: request.courier.id, at: now, on: pool))
        }
        let revoked = try await PhoneRepository.revoke(
            of: request.courier.id, enrolledUntil: request.requestedAt, at: now, on: pool)
        phones.forget(revoked.map(\.phone))
        let ready = now.addingTimeInterval(-Self.refusalSeconds * clock.rate)
        if request.mayWait, revoked.contains(where: { $0.at > ready }) { return ErasureReceipt(isWaiting: true) }
        let late = now.addingTimeInterval(-Self.lateHours * 3_600)
        let ended = request.deliveries.filter { $0.delivery.endedAt != nil }.map { tracker.begin($0, after: nil) }
        return try await ErasureParts.once(request, on: pool) { rows in
            try await CourierErasureRepository.erase(request, ended, insertingEndedAfter: late, from: &rows)
            if request.isLast { try await CourierErasureRepository.eraseCourier(request, from: &rows) }
            try await rows.eraseDeadLetters(mentioning: request.courier.mentions)
        }
    }
}

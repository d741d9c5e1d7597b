import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Erases a courier from this service's rows, when `orders` asks it.
///
/// The courier's phones are revoked by every part, and stay as revoked phones of a pseudonym: every process
/// refuses them before the last part erases positions, so none arrives afterwards.
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
        var fixes = 0
        if request.isLast {
            // Wall time, at any rate of the domain's clock: so it never is for longer.
            let ready = now.addingTimeInterval(-Self.refusalSeconds * clock.rate)
            if revoked.contains(where: { $0.at > ready }) { return ErasureReceipt(isWaiting: true) }
            fixes = try await CourierErasureRepository.eraseFixes(request, on: pool)
        }
        let late = now.addingTimeInterval(-Self.lateHours * 3_600)
        let ended = request.deliveries.filter { $0.delivery.endedAt != nil }.map { tracker.begin($0, after: nil) }
        let erasedFixes = fixes
        return try await PersonalReadLog.erasing(.courier, of: request, on: pool) { rows in
            try await CourierErasureRepository.erase(request, ended, insertingEndedAfter: late, from: &rows)
            guard request.isLast else { return }
            rows.count("fixes", erasedFixes)
            try await CourierErasureRepository.eraseCourier(request, from: &rows)
            try await rows.eraseDeadLetters(of: request)
        }
    }
}

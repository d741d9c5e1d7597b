import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// Ingests a provider's position of a delivery's courier, like a fix of the courier's phone.
struct IngestPosition: Sendable {
    /// Domain seconds after which a position is too old to use.
    static let ageSecondsMax = 3_600.0

    let pool: PostgresPool
    let clock: DomainClock
    let ingest: IngestFixes.GroupCommit

    /// A position changes nothing where the delivery is unknown or has no courier, or where the position names another
    /// courier: a delivery's provider cannot move other couriers.
    func callAsFunction(_ position: ProviderPosition) async throws {
        let now = clock.now
        guard now.timeIntervalSince(position.at) <= Self.ageSecondsMax,
            let courier = try await DeliveryRepository.delivery(position.delivery, on: pool)?.delivery.courier?.id,
            position.courier == nil || position.courier == courier
        else { return }
        let fix = Fix(time: min(position.at, now), place: position.coordinate)
        _ = try await ingest(FixBatch(courier: courier, fixes: [fix]))
    }
}

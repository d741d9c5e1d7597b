import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// Ingests where a provider says that the courier of a delivery was, as if their phone had said so.
struct IngestPosition: Sendable {
    /// Domain seconds after which a position says nothing any more of where anybody is.
    static let ageSecondsMax = 3_600.0

    let pool: PostgresPool
    let clock: DomainClock
    let ingest: IngestFixes.GroupCommit

    /// A position of nobody, since the delivery is not known or has no courier, changes nothing; nor does one of somebody
    /// else than its courier: whoever reports on a delivery says nothing of other people.
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

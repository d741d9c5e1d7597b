import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// Ingests providers' positions of deliveries' couriers on duty, like fixes of the couriers' phones.
struct IngestPosition: Sendable {
    /// Domain seconds after which a position is too old to use.
    static let ageSecondsMax = 3_600.0

    let pool: PostgresPool
    let clock: DomainClock
    let ingest: IngestFixes.GroupCommit

    /// - Returns: the outcome of each.
    func callAsFunction(_ positions: [ProviderPosition]) async -> [Result<Void, any Error>] {
        let batches: [FixBatch?]
        do {
            batches = try await self.batches(of: positions)
        } catch {
            return positions.map { _ in .failure(error) }
        }
        var ingested = await ingest.outcomes(of: batches.compactMap(\.self)).makeIterator()
        return batches.map { batch in
            batch.flatMap { _ in ingested.next() }?.map { _ in () } ?? .success(())
        }
    }

    /// The fix of each position; nil where it changes nothing: where the delivery is unknown, or has no courier or an
    /// erased one, or where the position is of another courier, since a delivery's provider cannot move other couriers,
    /// or where the courier also brings deliveries of another store than the source's.
    private func batches(of positions: [ProviderPosition]) async throws -> [FixBatch?] {
        let now = clock.now
        let deliveries = try await DeliveryRepository.deliveries(positions.map(\.delivery), on: pool)
        let ofOneStore = positions.filter { $0.onlyStore != nil }
        let stores = try await DeliveryRepository.stores(
            of: ofOneStore.compactMap { deliveries[$0.delivery]?.delivery.courier?.id }, on: pool)
        return positions.map { position in
            guard now.timeIntervalSince(position.at) <= Self.ageSecondsMax,
                let courier = deliveries[position.delivery]?.delivery.courier?.id, !courier.isPseudonym,
                position.isOf(courier),
                position.onlyStore.map({ stores[courier, default: []].isSubset(of: [$0]) }) ?? true
            else { return nil }
            return FixBatch(
                courier: courier, fixes: [Fix(time: min(position.at, now), place: position.coordinate)],
                isOnDutyOnly: true)
        }
    }
}

extension ProviderPosition {
    /// Whether it is a position of the delivery's courier.
    ///
    /// Without a name it is of the reporting provider's own courier; shops report their own couriers by CloudEvents.
    fileprivate func isOf(_ present: CourierID) -> Bool {
        if let courier { return courier == present }
        guard let source, source != .cloudEvents else { return true }
        return present.isOf(source)
    }

    /// The only store whose deliveries may be the courier's; nil for every store.
    ///
    /// Two sources of CloudEvents never name one courier, since the ids have their source's. All accounts at another
    /// provider name a courier by the same id.
    fileprivate var onlyStore: StoreID? { source == .cloudEvents && courier != nil ? nil : store }
}

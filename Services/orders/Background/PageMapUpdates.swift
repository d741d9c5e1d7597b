import ArrivalEstimate
import BackgroundWork
import DomainTime
import Foundation
import Logging
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// Asks every five seconds where the couriers of all maps of this process are, together, and wakes the pages of those
/// who have moved; without a permitted map it asks nothing.
struct PageMapUpdates: Service {
    static let interval = Duration.seconds(5)
    /// Deliveries whose versions one statement reads.
    private static let deliveriesMax = 1_000

    let pages: OpenPages
    let maps: PageMaps
    let client: CourierPlacesClient
    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger

    /// Asks until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("update of maps", every: Self.interval, logger: logger) { try await update() }.run()
    }

    /// Updates every map once.
    ///
    /// The versions are read after the places have arrived: a place was measured before, while the delivery was as its
    /// page has it.
    func update() async throws {
        guard maps.visibility.isUsed else { return }
        let spans = maps.read(Set(pages.streams.topics))
        guard !spans.isEmpty else { return }
        let couriers = Dictionary(spans.values.map { ($0.courier, $0.since) }, uniquingKeysWith: min)
        var places: [CourierID: CourierOnMap]?
        var failure: (any Error)?
        do { places = try await client(couriers) } catch { failure = error }
        let versions: [DeliveryID: PageRepository.Version]
        do {
            versions = try await self.versions(of: Array(spans.keys))
        } catch {
            // No new place is shown, and an old one only until it is too old.
            for delivery in maps.expire(spans, at: clock.now) { pages.streams.notifyUpdate(delivery) }
            throw error
        }
        // Pages of revoked links are woken before any place reaches them.
        for (delivery, version) in versions where pages.followed.keep(version, of: delivery).isAnother {
            pages.streams.notify(delivery)
        }
        let (moved, changed) = maps.apply(
            places, to: spans, versions: versions.mapValues(\.version), at: clock.now)
        for delivery in changed { pages.streams.notify(delivery) }
        for delivery in moved { pages.streams.notifyUpdate(delivery) }
        if let failure { throw failure }
    }

    private func versions(of deliveries: [DeliveryID]) async throws -> [DeliveryID: PageRepository.Version] {
        var versions: [DeliveryID: PageRepository.Version] = [:]
        for start in stride(from: 0, to: deliveries.count, by: Self.deliveriesMax) {
            let part = Array(deliveries[start...].prefix(Self.deliveriesMax))
            versions.merge(try await PageRepository.versions(of: part, on: pool)) { $1 }
        }
        return versions
    }
}

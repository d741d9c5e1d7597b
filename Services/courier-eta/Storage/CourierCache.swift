import Foundation
import OrderDomain
import Synchronization

/// A process's cache of active couriers, so that a fix does not read known rows again.
///
/// Never the truth: each entry carries the revision of its row, and is used under the row's lock only while the row
/// still has that revision.
final class CourierCache: Sendable {
    /// Couriers that are cached; others are read from the database.
    static let couriersMax = 50_000

    struct Entry: Sendable {
        var revision: Int
        var tracks: CourierTracks
        var deliveries: [DeliveryID: LiveDelivery] = [:]
    }

    /// A live delivery of a courier; the tracking state may be newer than the row, by as much as fixes can restore.
    struct LiveDelivery: Sendable {
        /// The row's revision.
        var revision: Int
        var tracked: TrackedDelivery
        /// When the row's tracking state was written, domain time.
        var storedAt: Date
    }

    private let couriers = Mutex<[CourierID: Entry]>([:])

    subscript(courier: CourierID) -> Entry? { couriers.withLock { $0[courier] } }

    func store(_ changed: [CourierID: Entry]) {
        couriers.withLock { couriers in
            // Emptied when full, which is rare; active couriers are cached again with their next fix.
            if couriers.count + changed.count > Self.couriersMax { couriers.removeAll() }
            couriers.merge(changed) { _, new in new }
        }
    }

    func remove(_ gone: some Sequence<CourierID>) {
        couriers.withLock { couriers in for courier in gone { couriers[courier] = nil } }
    }
}

import Foundation
import OrderDomain
import Synchronization

/// A process's cache of active couriers, so that a fix does not read known rows again.
///
/// Never the truth: each entry carries the revision that this process gave its row, and is used under the row's lock only
/// while the row still has that revision. Another process that records fixes of the courier gives the row another one.
final class CourierCache: Sendable {
    /// Couriers that are cached; others are read from the database.
    static let couriersMax = 50_000

    struct Entry: Sendable {
        var revision: Int
        /// The row's time of the newest fix, where this process wrote the row; nil where it did not.
        var rowLatestAt: Date?
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

    /// Removes the couriers' entries until they are checked in again.
    ///
    /// One transaction at a time has an entry: not every fix gives the row another revision, so the revision does not show
    /// a transaction that another one of this process was first.
    func checkOut(_ ids: [CourierID]) -> [CourierID: Entry] {
        couriers.withLock { couriers in
            Dictionary(uniqueKeysWithValues: ids.compactMap { id in couriers.removeValue(forKey: id).map { (id, $0) } })
        }
    }

    func checkIn(_ entries: [CourierID: Entry]) {
        couriers.withLock { couriers in
            // Emptied when full, which is rare; active couriers are cached again with their next fix.
            if couriers.count + entries.count > Self.couriersMax { couriers.removeAll() }
            couriers.merge(entries) { _, new in new }
        }
    }
}

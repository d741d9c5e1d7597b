import ArrivalEstimate
import Foundation
import OrderDomain
import Synchronization

/// What a process remembers of couriers on the road, so that a fix costs no reading of what is known already.
///
/// Never the truth: each entry says at which revision of its row it was true, and is used under the row's lock only
/// while that is still the row's.
final class CourierMemory: Sendable {
    /// Couriers that are remembered; those that are not are read from the record.
    static let couriersMax = 50_000

    struct Remembered: Sendable {
        var revision: Int
        var tracks: CourierTracks
        /// Deliveries under way, each at its row's revision.
        var deliveries: [DeliveryID: (revision: Int, watched: WatchedDelivery)] = [:]
    }

    private let couriers = Mutex<[CourierID: Remembered]>([:])

    subscript(courier: CourierID) -> Remembered? { couriers.withLock { $0[courier] } }

    func remember(_ changed: [CourierID: Remembered]) {
        couriers.withLock { couriers in
            // Full once in a long while; those on the road are back with their next fix.
            if couriers.count + changed.count > Self.couriersMax { couriers.removeAll() }
            couriers.merge(changed) { _, new in new }
        }
    }

    func forget(_ gone: some Sequence<CourierID>) {
        couriers.withLock { couriers in for courier in gone { couriers[courier] = nil } }
    }

    var count: Int { couriers.withLock(\.count) }
}

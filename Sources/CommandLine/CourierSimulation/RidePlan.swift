package import DoorstepAPI
package import Foundation
package import OrderDomain
internal import SeededRandom

/// A simulated courier's timetable: when their phone sends each fix, and when they press each status.
package struct RidePlan: Hashable, Sendable {
    package struct Press: Hashable, Sendable {
        package let at: Date
        package let delivery: DeliveryID
        package let status: StatusCode
    }

    package let ride: Ride
    package let presses: [Press]

    /// A generated ride from the store to each door in turn, with the presses.
    ///
    /// - Parameters:
    ///   - deliveries: in the order of the trip; at least one. Deliveries with a hidden door are omitted.
    ///   - every: seconds between fixes.
    package static func alongStreets(
        to deliveries: [DeliveryBody], from start: Date, metersPerSecond: Double, every: TimeInterval,
        isPressing: Bool, seed: UInt64
    ) -> RidePlan {
        var random = SeededGenerator(seed: seed)
        let reachable = deliveries.filter { $0.door != nil }
        let places = deliveries.prefix(1).map(\.store.location) + reachable.compactMap(\.door)
        let route = StreetRoute(places, using: &random)
        let (ride, arrivals) = route.ride(
            from: start, metersPerSecond: metersPerSecond, every: every, using: &random)
        let doors = zip(reachable, arrivals).map { ($0, $1) }
        return RidePlan(ride: ride, presses: isPressing ? presses(of: doors, from: start) : [])
    }

    /// A recorded ride; its last fix counts as the arrival at every door.
    package static func recorded(_ ride: Ride, to deliveries: [DeliveryBody], isPressing: Bool) -> RidePlan {
        guard isPressing, let start = ride.fixes.map(\.time).min(), let end = ride.fixes.map(\.time).max() else {
            return RidePlan(ride: ride, presses: [])
        }
        return RidePlan(ride: ride, presses: presses(of: deliveries.map { ($0, end) }, from: start))
    }

    /// `picked_up` at the start; at each door `at_door` and, after the hand-over, `delivered`.
    private static func presses(of doors: [(delivery: DeliveryBody, at: Date)], from start: Date) -> [Press] {
        let pickups = doors.map { Press(at: start, delivery: $0.delivery.id, status: .pickedUp) }
        let handovers = doors.flatMap { door in
            [
                Press(at: door.at, delivery: door.delivery.id, status: .atDoor),
                Press(
                    at: door.at.addingTimeInterval(StreetRoute.doorSeconds), delivery: door.delivery.id,
                    status: .delivered),
            ]
        }
        return pickups + handovers.stablySorted { $0.at }
    }
}

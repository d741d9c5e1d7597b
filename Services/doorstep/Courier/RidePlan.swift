import DoorstepAPI
import Foundation
import OrderDomain
import SeededRandom

/// What one courier will do, and when: their phone's fixes, and the statuses that they press.
struct RidePlan: Hashable, Sendable {
    struct Press: Hashable, Sendable {
        let at: Date
        let delivery: DeliveryID
        let status: StatusCode
    }

    let ride: Ride
    let presses: [Press]

    /// A ride along a route of streets from the store to each door in turn, with the presses on the way.
    ///
    /// - Parameters:
    ///   - deliveries: in the order of the trip; at least one.
    ///   - every: seconds between fixes.
    static func alongStreets(
        to deliveries: [DeliveryBody], from start: Date, metersPerSecond: Double, every: TimeInterval,
        isPressing: Bool, seed: UInt64
    ) -> RidePlan {
        var random = SeededGenerator(seed: seed)
        let places = deliveries.prefix(1).map(\.store.location) + deliveries.map(\.door)
        let route = StreetRoute(places, using: &random)
        let (ride, arrivals) = route.ride(
            from: start, metersPerSecond: metersPerSecond, every: every, using: &random)
        let doors = zip(deliveries, arrivals).map { ($0, $1) }
        return RidePlan(ride: ride, presses: isPressing ? presses(of: doors, from: start) : [])
    }

    /// A recorded ride; its end is taken for the door.
    static func recorded(_ ride: Ride, to deliveries: [DeliveryBody], isPressing: Bool) -> RidePlan {
        guard isPressing, let start = ride.fixes.map(\.time).min(), let end = ride.fixes.map(\.time).max() else {
            return RidePlan(ride: ride, presses: [])
        }
        return RidePlan(ride: ride, presses: presses(of: deliveries.map { ($0, end) }, from: start))
    }

    /// Picked up before the ride, and at each door at the door and, a hand-over later, delivered.
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

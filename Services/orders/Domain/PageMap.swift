import ArrivalEstimate
import OrderDomain

/// The map of one page at one version of its delivery: the door, to which ``PageMaps`` has the courier's place.
struct PageMap: Hashable, Sendable {
    let delivery: DeliveryID
    let version: Int
    /// For a reader without the order's number on the grid of the courier's place: the exact door is the address, which
    /// such a reader does not see either.
    let door: Coordinate

    init(of delivery: Delivery, isProven: Bool) {
        self.delivery = delivery.id
        version = delivery.version
        door = isProven ? delivery.door : CourierOnMap.rounded(delivery.door)
    }
}

/// A courier's place on a delivery's map, and the one before.
struct FollowedPlace: Hashable, Sendable {
    let now: CourierOnMap
    /// The last other place in the same span; nil before the courier has moved.
    let former: CourierOnMap?
}

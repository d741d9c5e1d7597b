package import DoorstepAPI
package import OrderDomain

/// One delivery's change of courier and of its place on the courier's trip, with the way back.
package struct PlannedMove: Hashable, Sendable {
    /// A courier, and the stops before the delivery on the trip.
    package struct Place: Hashable, Sendable {
        /// Nil for a delivery without a courier.
        package let courier: CourierID?
        /// Nil where the order of stops is not known.
        package let stopsBefore: Int?

        package init(courier: CourierID?, stopsBefore: Int?) {
            self.courier = courier
            self.stopsBefore = stopsBefore
        }
    }

    package let delivery: DeliveryID
    /// The delivery's version that the operator saw.
    package let version: Int
    package let target: Place
    package let former: Place

    package init(_ delivery: DeliveryID, version: Int, to target: Place, from former: Place) {
        self.delivery = delivery
        self.version = version
        self.target = target
        self.former = former
    }

    /// The moves of a proposed trip: the added deliveries, and own stops with another place.
    ///
    /// - Parameter versions: the versions that the operator saw, by delivery; of others, those of the trip.
    package static func moves(of trip: TripPreviewBody, versions: [DeliveryID: Int] = [:]) -> [PlannedMove] {
        trip.changed.map { stop in
            PlannedMove(
                stop.delivery, version: versions[stop.delivery] ?? stop.version,
                to: Place(courier: trip.courier, stopsBefore: stop.stopsBefore),
                from: Place(courier: stop.formerCourier, stopsBefore: stop.formerStopsBefore))
        }
    }

    /// The reverse move, after this one.
    ///
    /// - Parameter version: the delivery's version after this move.
    package func undone(at version: Int) -> PlannedMove {
        PlannedMove(delivery, version: version, to: former, from: target)
    }
}

import ArrivalEstimate
import Foundation
import OrderDomain

/// The other deliveries that a courier hands over before one, as far as is known without a position of the courier.
///
/// A delivery at its door counts until the courier has left it, so that an arrival there is no change of the trip.
/// As on the courier's page, picked-up deliveries come first, then deliveries to fetch. Among each, the stops before
/// decide, then the end of the promise.
struct StopsAhead: Sendable {
    /// The picked-up ones, in order.
    let carried: [Delivery]
    /// The ones to fetch, in order; none for a delivery that is picked up.
    let fetched: [Delivery]

    /// - Parameter live: the courier's live deliveries.
    init(of delivery: Delivery, among live: [Delivery]) {
        let isInStore = delivery.status.courierStatus != nil
        let others = live.filter { $0.id != delivery.id && $0.isStop }.sorted { $0.placeOnTrip < $1.placeOnTrip }
        carried = others.filter { $0.isDoorAhead && (isInStore || $0.placeOnTrip < delivery.placeOnTrip) }
        fetched = others.filter { isInStore && !$0.isDoorAhead && $0.placeOnTrip < delivery.placeOnTrip }
    }

    /// The deliveries whose place on the trip is before that of a delivery, sorted by id.
    ///
    /// Whether they are picked up or still in a store does not matter, so that a pickup is no change of the trip.
    static func ids(before delivery: Delivery, among live: [Delivery]) -> [DeliveryID] {
        live.filter { $0.id != delivery.id && $0.isStop && $0.placeOnTrip < delivery.placeOnTrip }.map(\.id).sorted()
    }
}

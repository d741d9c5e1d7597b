import ArrivalEstimate
import Foundation
import OrderDomain

/// The stores whose cards show how near the courier is, and the couriers about whom no card does.
struct DistanceOnCards: Sendable {
    private let stores: StoreTable<Bool>
    private let isExempt: @Sendable (CourierID) -> Bool

    /// No card shows a distance.
    init() {
        self.init(stores: StoreTable()) { _ in true }
    }

    /// - Parameter isExempt: whether a courier is exempt from customers' maps.
    init(stores: StoreTable<Bool>, isExempt: @escaping @Sendable (CourierID) -> Bool) {
        self.stores = stores
        self.isExempt = isExempt
    }

    /// Whether any store's cards show a distance.
    var isUsed: Bool { stores != StoreTable() }

    /// The bound for a delivery's card: under the conditions of a customer's map whose courier comes here next; nil
    /// otherwise.
    ///
    /// - Parameters:
    ///   - since: when the leg or, after a hold, its present span began.
    ///   - latest: the courier's newest fix.
    func bound(of delivery: Delivery, since: Date, latest: Fix, now: Date) -> DistanceBound? {
        guard stores[delivery.store.id] != nil, delivery.mayShowCourier(stopsMax: 0),
            latest.time >= since, now.timeIntervalSince(latest.time) <= CourierOnMap.secondsMax,
            let courier = delivery.courier, !isExempt(courier.id)
        else { return nil }
        // Of the door and its place on the grid the farther one: a card is shown to readers to whom a map shows the door
        // on the grid alone.
        let doors = [delivery.door, CourierOnMap.rounded(delivery.door)]
        return doors.map { DistanceBound(from: latest.place, to: $0)?.metres ?? .max }.max().flatMap(DistanceBound.init)
    }
}

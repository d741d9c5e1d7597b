import Foundation
import OrderDomain
import Testing

extension Delivery {
    /// A delivery of the customer of ``DispatchUnderTest``, placed at noon and promised within the hour.
    static func sample(id: DeliveryID = DeliveryID(UUID()), reference: String = "G-1") throws -> Delivery {
        let place = Coordinate(clampingLatitude: 55.7, longitude: 12.5)
        return Delivery(
            id: id, order: OrderID(UUID()), reference: reference, customer: DispatchUnderTest.mira,
            store: Store(
                id: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn", location: place,
                timeZone: "Europe/Copenhagen"),
            bag: Bag(number: 1, count: 1), door: place,
            promise: try #require(Promise(start: noon, end: noon.addingTimeInterval(3_600))),
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)),
            items: [Item(id: try #require(ItemID(rawValue: "milk")), name: "Milk", quantity: 1, ifUnavailable: .ask)],
            placedAt: noon)
    }
}

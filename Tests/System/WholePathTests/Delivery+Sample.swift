import Foundation
import OrderDomain
import Testing

extension Delivery {
    /// One bag for Mette, promised within the hour.
    static func sample(_ id: DeliveryID, placedAt: Date) throws -> Delivery {
        Delivery(
            id: id, order: OrderID(id.uuid), reference: "G-1042", customer: try #require(CustomerID(rawValue: "mette")),
            store: Store(
                id: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn",
                location: try #require(Coordinate(latitude: 55.7085, longitude: 12.5942)),
                timeZone: "Europe/Copenhagen"),
            bag: Bag(number: 1, count: 1), door: try #require(Coordinate(latitude: 55.6916, longitude: 12.5830)),
            promise: try #require(
                Promise(start: placedAt.addingTimeInterval(1800), end: placedAt.addingTimeInterval(3600))),
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)),
            items: [
                Item(id: try #require(ItemID(rawValue: "milk")), name: "Milk", quantity: 2, ifUnavailable: .ask)
            ], placedAt: placedAt)
    }
}

extension OrderDomain.Courier {
    static let mira = OrderDomain.Courier(
        id: CourierID(rawValue: "mira").unsafelyUnwrapped, name: "Mira", vehicle: .bicycle, phone: nil)
}

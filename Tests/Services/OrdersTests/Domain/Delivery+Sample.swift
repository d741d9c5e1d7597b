import Foundation
import OrderDomain
import Testing

extension Delivery {
    /// One bag from a store to a door two kilometres away, promised within the hour.
    static func sample(id: DeliveryID = DeliveryID(UUID()), order: OrderID = OrderID(UUID())) throws -> Delivery {
        let placedAt = Date(timeIntervalSince1970: 1_795_222_000)
        return Delivery(
            id: id, order: order, reference: "G-1042", customer: try #require(CustomerID(rawValue: "mette")),
            store: Store(
                id: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn",
                location: try #require(Coordinate(latitude: 55.7085, longitude: 12.5942)),
                timeZone: "Europe/Copenhagen"),
            bag: Bag(number: 1, count: 1), door: try #require(Coordinate(latitude: 55.6916, longitude: 12.5830)),
            promise: try #require(
                Promise(start: placedAt.addingTimeInterval(1800), end: placedAt.addingTimeInterval(3600))),
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)),
            items: [
                Item(id: try #require(ItemID(rawValue: "milk")), name: "Milk", quantity: 2, ifUnavailable: .ask),
                Item(id: try #require(ItemID(rawValue: "rye")), name: "Rye bread", quantity: 1, ifUnavailable: .refund),
            ],
            placedAt: placedAt)
    }

    static let mira = Courier(
        id: CourierID(rawValue: "mira").unsafelyUnwrapped, name: "Mira", vehicle: .bicycle, phone: "+4512345678")

    /// Applies a change one second after the present status began.
    mutating func change(_ change: DeliveryChange) throws {
        _ = try apply(change, at: statusSince.addingTimeInterval(1))
    }

    /// Applies the ordinary statuses up to one, with a courier.
    mutating func advance(to code: StatusCode) throws {
        let codes: [StatusCode] = [
            .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .delivered,
        ]
        if courier == nil { try change(.courier(Self.mira)) }
        for next in codes where next.rank <= code.rank { try change(.status(next, reason: nil)) }
    }
}

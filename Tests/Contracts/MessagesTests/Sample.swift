import Foundation
import Messages
import OrderDomain
import Testing
import WireCoding

/// A delivery with everything that can be filled in, and messages about it.
struct Sample {
    let delivery: Delivery
    let at = Date(timeIntervalSince1970: 1_795_280_400.25)

    init() throws {
        let id = try #require(DeliveryID(rawValue: "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d"))
        let order = try #require(OrderID(rawValue: "5f0a6d6e-3a51-4c55-8f0e-6f2f7f4f9d10"))
        let store = Store(
            id: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn",
            location: try #require(Coordinate(latitude: 55.7, longitude: 12.6)), timeZone: "Europe/Copenhagen")
        var delivery = Delivery(
            id: id, order: order, reference: "G-1042", customer: try #require(CustomerID(rawValue: "c-1")),
            store: store,
            bag: Bag(number: 1, count: 2), door: try #require(Coordinate(latitude: 55.69, longitude: 12.58)),
            promise: try #require(Promise(start: at + 900, end: at + 2700)),
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)),
            items: [
                Item(id: try #require(ItemID(rawValue: "i-1")), name: "Rye bread", quantity: 2, ifUnavailable: .ask),
                Item(id: try #require(ItemID(rawValue: "i-2")), name: "Milk", quantity: 1, ifUnavailable: .ask),
            ],
            placedAt: at - 7200)
        let courier = Courier(
            id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: "+4500000000")
        let changes: [DeliveryChange] = [
            .status(.accepted, reason: nil), .status(.picking, reason: "a picker is free"), .courier(courier),
            .item(try #require(ItemID(rawValue: "i-1")), .found(quantity: 1)),
            .item(
                try #require(ItemID(rawValue: "i-2")),
                .proposed(
                    Substitute(name: "Oat milk", quantity: 1, priceDifferenceMinorUnits: -50), answerUntil: at + 600)),
            .stopsBefore(2),
        ]
        for change in changes { _ = try delivery.apply(change, at: at) }
        self.delivery = delivery
    }

    /// The same delivery in another status with other flags, as a message could have it.
    func delivery(in status: DeliveryStatus, flags: Set<Flag>) throws -> Delivery {
        var object = try #require(
            try JSONSerialization.jsonObject(with: WireJSON.encode(delivery)) as? [String: Any])
        object["status"] = try JSONSerialization.jsonObject(with: WireJSON.encode(status))
        object["flags"] = flags.map(\.rawValue)
        object["endedAt"] = status.isEnded ? WireJSON.text(of: at + 1620) : nil
        return try WireJSON.decode(Delivery.self, from: JSONSerialization.data(withJSONObject: object))
    }

    var links: [DeliveryLink] {
        ["details", "contact-courier", "wave"].map { DeliveryLink(verb: $0, url: "https://doorstep.example/l/\($0)") }
    }
}

import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// The deliveries that the load changes, with a device and an open stream for each customer.
///
/// Two deliveries a customer: from three on they have a summary as well, which is another measurement.
struct Workload {
    struct Delivery: Decodable {
        let id: String
    }

    /// The answer to placing an order.
    struct Placed: Decodable {
        let deliveries: [Delivery]
    }

    static let deliveriesPerCustomer = 2
    static let itemsPerDelivery = 12
    /// The deliveries' store.
    static let store = "nordhavn"

    let deliveries: [String]
    /// The index of each delivery in ``deliveries``.
    let indexes: [String: Int]

    /// Registers the devices, opens their streams, places the orders and starts picking.
    static func create(on eventLoop: EventLoop, tokens: [String]) throws -> Workload {
        let devices = tokens.enumerated().map { Device(id: "phone-\($0.offset)", token: $0.element) }
        try eventLoop.register(devices)
        try eventLoop.openStreams(of: devices)
        let all = try place(tokens.count * deliveriesPerCustomer, on: eventLoop)
        return Workload(
            deliveries: all,
            indexes: Dictionary(uniqueKeysWithValues: all.enumerated().map { ($0.element, $0.offset) }))
    }

    /// Places deliveries, two in an order of each customer, and starts picking.
    ///
    /// - Parameter quantity: of each item.
    /// - Returns: the deliveries; those of one customer are adjacent.
    static func place(_ count: Int, quantity: Int = 2, on eventLoop: EventLoop) throws -> [String] {
        let customers = (count + deliveriesPerCustomer - 1) / deliveriesPerCustomer
        var ids = [String?](repeating: nil, count: customers * deliveriesPerCustomer)
        for customer in 0..<customers {
            let body = try order(
                reference: "B-\(customer)", customer: "bench-\(customer)", store: store,
                deliveries: deliveriesPerCustomer, quantity: quantity)
            try eventLoop.orders.send(.order(body, key: "bench-\(customer)")) { answer in
                guard let placed = try? answer.decoded(Placed.self, status: 201) else {
                    return eventLoop.fail("placing an order", answer)
                }
                for (place, delivery) in placed.deliveries.enumerated() {
                    ids[customer * deliveriesPerCustomer + place] = delivery.id
                }
            }
        }
        try eventLoop.settle()
        let all = ids.compactMap { $0 }
        guard all.count == ids.count else { throw BenchFailure("\(all.count) of \(ids.count) deliveries were placed") }
        for status in ["accepted", "picking"] {
            for id in all { try eventLoop.require(.move(id, to: status), "moving a delivery to \(status)") }
            try eventLoop.settle()
        }
        return Array(all.prefix(count))
    }

    /// The body of an order whose deliveries all have the same items.
    static func order(
        reference: String, customer: String, store: String, deliveries: Int, quantity: Int = 2
    ) throws -> String {
        let now = Date()
        guard let name = CustomerID(rawValue: customer), let store = StoreID(rawValue: store),
            let place = Coordinate(latitude: 55.7085, longitude: 12.5942),
            let door = Coordinate(latitude: 55.6933, longitude: 12.5489),
            let promise = Promise(start: now.addingTimeInterval(3 * 3600), end: now.addingTimeInterval(4 * 3600))
        else { throw BenchFailure("the order's values are not what the domain takes") }
        let items = try (1...itemsPerDelivery).map { number in
            guard let id = ItemID(rawValue: "item-\(number)") else { throw BenchFailure("an item's id") }
            return PlaceOrderBody.Line(id: id, name: "Øllebrød from the shelf \(number)", quantity: quantity)
        }
        let body = PlaceOrderBody(
            reference: reference, customer: name,
            store: Store(id: store, name: "Nordhavn", location: place, timeZone: "Europe/Copenhagen"),
            promise: promise, door: door, handoff: nil,
            deliveries: Array(repeating: .init(items: items), count: deliveries))
        return String(decoding: try WireJSON.encode(body), as: UTF8.self)
    }
}

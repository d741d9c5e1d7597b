import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime
import WireCoding

/// The deliveries that the load changes, with a device and an open stream for each customer.
///
/// Two deliveries a customer: from three on they have a summary as well, which is another measurement.
struct Workload {
    struct Delivery: Decodable {
        let id: String
    }

    /// What placing an order is answered.
    struct Placed: Decodable {
        let deliveries: [Delivery]
    }

    static let deliveriesPerCustomer = 2
    static let itemsPerDelivery = 12
    /// Whose the deliveries are.
    static let store = "nordhavn"

    let deliveries: [String]
    /// Where each delivery stands in ``deliveries``.
    let indexes: [String: Int]

    /// Registers the devices, opens their streams, places the orders and starts picking.
    static func create(on eventLoop: EventLoop, tokens: [String], now date: Date) throws -> Workload {
        try registerDevices(tokens, on: eventLoop)
        let all = try place(customers: tokens.count, on: eventLoop, now: date)
        return Workload(
            deliveries: all,
            indexes: Dictionary(uniqueKeysWithValues: all.enumerated().map { ($0.element, $0.offset) }))
    }

    /// Places an order of each customer and starts picking.
    ///
    /// - Parameter quantity: of each item.
    /// - Returns: the deliveries, those of one customer beside each other.
    static func place(customers: Int, quantity: Int = 2, on eventLoop: EventLoop, now date: Date) throws -> [String] {
        var ids = [String?](repeating: nil, count: customers * deliveriesPerCustomer)
        for customer in 0..<customers {
            let key = "Idempotency-Key: bench-\(customer)"
            let call = Request(
                method: "POST", path: "/v1/orders", body: try order(of: customer, quantity: quantity, now: date),
                headers: [key])
            try eventLoop.orders.send(call) { answer in
                guard answer.status == 201,
                    let placed = try? WireJSON.decode(Placed.self, from: Data(answer.body))
                else { return eventLoop.fail("placing an order", answer) }
                for (place, delivery) in placed.deliveries.enumerated() {
                    ids[customer * deliveriesPerCustomer + place] = delivery.id
                }
            }
        }
        try eventLoop.run { eventLoop.orders.inFlight == 0 }
        let all = ids.compactMap { $0 }
        guard all.count == ids.count else { throw BenchFailure("\(all.count) of \(ids.count) deliveries were placed") }
        for status in ["accepted", "picking"] {
            for id in all {
                let call = Request(
                    method: "POST", path: "/v1/deliveries/\(id)/status", body: #"{"status":"\#(status)"}"#)
                try eventLoop.orders.send(call) { answer in
                    if answer.status != 200 { eventLoop.fail("moving a delivery to \(status)", answer) }
                }
            }
            try eventLoop.run { eventLoop.orders.inFlight == 0 }
        }
        return all
    }

    private static func registerDevices(_ tokens: [String], on eventLoop: EventLoop) throws {
        for (customer, token) in tokens.enumerated() {
            let call = Request(
                method: "PUT", path: "/v1/devices/phone-\(customer)", body: #"{"transport":"stream"}"#, token: token)
            try eventLoop.dispatch.send(call) { answer in
                if answer.status != 200 { eventLoop.fail("registering a device", answer) }
            }
        }
        try eventLoop.run { eventLoop.dispatch.inFlight == 0 }
        for (customer, token) in tokens.enumerated() {
            try eventLoop.streams.open(device: "phone-\(customer)", token: token)
            // Fewer at once than the service takes on.
            try eventLoop.run { eventLoop.streams.opening < 64 }
        }
        try eventLoop.run { eventLoop.streams.opening == 0 }
    }

    private static func order(of customer: Int, quantity: Int, now: Date) throws -> String {
        try order(
            reference: "B-\(customer)", customer: "bench-\(customer)", store: store, now: now,
            deliveries: deliveriesPerCustomer, quantity: quantity)
    }

    /// The body of an order whose deliveries all have the same items.
    static func order(
        reference: String, customer: String, store: String, now: Date, deliveries: Int, quantity: Int = 2
    ) throws -> String {
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

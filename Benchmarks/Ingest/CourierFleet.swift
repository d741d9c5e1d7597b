import Foundation
import Messages
import OrderDomain
import WireCoding

/// Couriers on the way, each with a delivery in progress, an enrolled phone and a history of fixes.
struct CourierFleet {
    static let storeLatitude = 55.7085
    static let longitude = 12.5942
    /// Ten kilometres south of the store: no courier arrives during the measurement.
    static let doorLatitude = 55.6186
    /// A courier on a bicycle.
    static let metersPerSecond = 4.0
    static let metersPerDegree = 111_195.0
    /// Earlier fixes of each courier: the most fixes in a track of `courier-eta`.
    static let historyFixes = 480
    /// Seconds between them.
    static let historySeconds = 2.0

    /// The phones' credentials.
    let tokens: [String]
    let leftAt: Date

    /// Publishes a delivery for each courier through the outbox of `orders`, and enrols the phones.
    static func create(couriers: Int, stack: Stack, loop: ClosedLoad, operators: [String]) throws -> CourierFleet {
        let leftAt = Date().addingTimeInterval(-Double(historyFixes) * historySeconds - 60)
        try publishDeliveries(couriers, leftAt: leftAt, stack: stack)
        var tokens = [String?](repeating: nil, count: couriers)
        try loop.run(
            count: couriers,
            call: { index in
                Request(
                    method: "POST", path: "/v1/couriers/\(name(index))/phones", body: #"{"app":"doorstep"}"#,
                    token: operators[index % operators.count])
            },
            answered: { index, answer in
                tokens[index] = try answer.decoded(Enrolled.self, status: 201).token
            })
        try waitUntil("every delivery is known") {
            try stack.count("SELECT count(*) FROM courier_eta.deliveries") == couriers
        }
        try waitUntil("both outboxes are empty") {
            try stack.count(
                "SELECT (SELECT count(*) FROM orders.outbox) + (SELECT count(*) FROM courier_eta.outbox)") == 0
        }
        try record(historyOf: couriers, leftAt: leftAt, stack: stack)
        return CourierFleet(tokens: tokens.compactMap { $0 }, leftAt: leftAt)
    }

    /// Inserts the phones' fixes since their couriers left.
    private static func record(historyOf couriers: Int, leftAt: Date, stack: Stack) throws {
        let left = leftAt.timeIntervalSince1970
        _ = try stack.query(
            """
            SELECT courier_eta.create_fixes_partition((to_timestamp(\(left)) AT TIME ZONE 'UTC')::date)
            """,
            """
            INSERT INTO courier_eta.fixes (courier_id, phone_id, fixed_at, latitude, longitude, accuracy, speed, received_at)
            SELECT courier_id, phone_id, to_timestamp(\(left) + second),
                \(storeLatitude) - (second * \(metersPerSecond)
                    + split_part(courier_id, '-', 2)::integer % 500) / \(metersPerDegree),
                \(longitude), 8, 4, to_timestamp(\(left) + second)
            FROM courier_eta.phones CROSS JOIN generate_series(
                \(historySeconds), \(Double(historyFixes) * historySeconds), \(historySeconds)) AS second
            """,
            """
            INSERT INTO courier_eta.couriers (courier_id, latest_at, revision)
            SELECT courier_id, max(fixed_at), 1 FROM courier_eta.fixes GROUP BY courier_id
            ON CONFLICT DO NOTHING
            """)
        guard try stack.count("SELECT count(*) FROM courier_eta.fixes") == couriers * historyFixes else {
            throw BenchFailure("the couriers' history is not recorded")
        }
    }

    /// The answer to the enrolment of a phone.
    struct Enrolled: Decodable {
        let token: String
    }

    static func name(_ index: Int) -> String { "courier-\(index)" }

    /// The body of a courier's newest positions, `every` seconds apart and a little more the older they are, the last of
    /// them now: with even steps, all would meet those of a request that many seconds before, and be duplicates.
    func body(of courier: Int, at now: Date, count: Int, every seconds: Double = 5) -> String {
        let fixes = (0..<count).map { index in
            let steps = Double(count - 1 - index)
            let time = now.addingTimeInterval(-steps * seconds - steps * steps * 0.037)
            let meters = time.timeIntervalSince(leftAt) * Self.metersPerSecond + Double(courier % 500)
            let latitude = Self.storeLatitude - meters / Self.metersPerDegree
            let milliseconds = (time.timeIntervalSince1970 * 1_000).rounded() / 1_000
            return
                #"{"time":\#(milliseconds),"latitude":\#(latitude),"longitude":\#(Self.longitude),"accuracy":8,"speed":4}"#
        }
        return #"{"fixes":[\#(fixes.joined(separator: ","))]}"#
    }

    /// Inserts one message a courier into the outbox of `orders`; its relay publishes them.
    private static func publishDeliveries(_ couriers: Int, leftAt: Date, stack: Stack) throws {
        let delivery = try delivery(leftAt: leftAt)
        let message = DeliveryChanged(delivery: delivery, links: [], cause: "status", changedAt: leftAt)
        let text = String(decoding: try WireJSON.encode(message), as: UTF8.self).replacing("'", with: "''")
        let own = delivery.id.rawValue
        _ = try stack.query(
            """
            INSERT INTO orders.outbox (outbox_id, subject, payload, headers)
            SELECT id, '\(Subject.deliveriesChanged)',
                convert_to(replace(replace('\(text)', '\(own)', id::text), 'courier-x', 'courier-' || n), 'UTF8'), '{}'
            FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(0, \(couriers - 1)) AS n) AS made
            """)
    }

    private static func delivery(leftAt: Date) throws -> Delivery {
        guard let customer = CustomerID(rawValue: "bench"), let store = StoreID(rawValue: "nordhavn"),
            let courier = CourierID(rawValue: "courier-x"), let item = ItemID(rawValue: "milk"),
            let place = Coordinate(latitude: storeLatitude, longitude: longitude),
            let door = Coordinate(latitude: doorLatitude, longitude: longitude),
            let promise = Promise(start: leftAt, end: leftAt.addingTimeInterval(4 * 3_600)),
            let handoff = Handoff(method: .handToCustomer, verification: .none)
        else { throw BenchFailure("the delivery's values are not what the domain takes") }
        var delivery = Delivery(
            id: DeliveryID(UUID()), order: OrderID(UUID()), reference: "B-1", customer: customer,
            store: Store(id: store, name: "Nordhavn", location: place, timeZone: "Europe/Copenhagen"),
            bag: Bag(number: 1, count: 1), door: door, promise: promise, handoff: handoff,
            items: [Item(id: item, name: "Milk", quantity: 2, ifUnavailable: .ask)],
            placedAt: leftAt.addingTimeInterval(-1_800))
        _ = try delivery.apply(.courier(Courier(id: courier, name: "Mira", vehicle: .bicycle, phone: nil)), at: leftAt)
        _ = try delivery.apply(.override(.enRoute, reason: "bench"), at: leftAt)
        return delivery
    }
}

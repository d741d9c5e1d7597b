import ArrivalEstimate
import CommaSeparatedValues
import Foundation

/// Deliveries to make initial estimates for, or to learn them from: `courier_legs.csv` or `deliveries.csv`.
struct InitialEstimateFolder<Case> {
    struct Entry {
        let id: String
        let subject: Case
        /// The actual seconds; nil where the folder hides them.
        let seconds: Double?
    }

    private(set) var entries: [Entry] = []
    private(set) var skipped = SkippedRows()

    init(_ file: URL, needing columns: [String], read: (CSVTable.Row) -> Case?) throws {
        let table = try RecordedTable(file, needing: ["delivery_id"] + columns)
        try table.forEachRow { row in
            guard let id = row.text("delivery_id") else {
                skipped.append(row, of: table, because: "it has no delivery_id")
                return
            }
            guard let subject = read(row) else {
                skipped.append(
                    row, of: table, because: "delivery \(id): \(columns.joined(separator: ", ")) cannot be read")
                return
            }
            entries.append(Entry(id: id, subject: subject, seconds: row.number("duration_s")))
        }
    }
}

extension InitialEstimateFolder<UpcomingLeg> {
    /// Legs of couriers from pickup to arrival.
    init(legsIn folder: URL) throws {
        try self.init(folder.appending(path: "courier_legs.csv"), needing: ["straight_km"]) { row in
            guard let straight = row.number("straight_km"), straight >= 0 else { return nil }
            let pickup = row.number("pickup_s")
            let began = pickup ?? row.number("arrive_pickup_s") ?? row.number("placed_s")
            var way = UpcomingLeg(
                straightMetres: straight * 1_000, hour: began.map { ($0 / 3_600).dayHour } ?? 12,
                weekday: row.number("weekday").map { Int(max(1, min(7, $0))) } ?? 1)
            way.roadMetres = row.number("road_km").map { $0 * 1_000 }
            way.isBusiness = row.text("business") != "Personal"
            if let pickup {
                way.secondsSincePlaced = row.number("placed_s").map { max(0, pickup - $0) }
                way.secondsAtStore = row.number("arrive_pickup_s").map { max(0, pickup - $0) }
            }
            way.courier = row.text("rider_id")
            way.store = row.place("pickup_lat", "pickup_lon")
            way.door = row.place("dest_lat", "dest_lon")
            return way
        }
    }
}

extension InitialEstimateFolder<UpcomingOrder> {
    /// Orders from placing to the door.
    init(ordersIn folder: URL) throws {
        try self.init(folder.appending(path: "deliveries.csv"), needing: ["created_at"]) { row in
            guard let created = row.text("created_at").flatMap(Self.moment) else { return nil }
            let days = (created / 86_400).rounded(.down)
            var order = UpcomingOrder(
                store: row.text("store_id") ?? "", hour: (created / 3_600).dayHour,
                weekday: Int(days + 3 - 7 * ((days + 3) / 7).rounded(.down)) + 1)
            order.placeSeconds = row.number("estimated_order_place_duration")
            order.driveSeconds = row.number("estimated_store_to_consumer_driving_duration")
            order.items = row.number("total_items")
            order.distinctItems = row.number("num_distinct_items")
            order.subtotal = row.number("subtotal")
            order.couriers = row.number("total_onshift_dashers")
            order.busyCouriers = row.number("total_busy_dashers")
            order.waitingOrders = row.number("total_outstanding_orders")
            order.market = row.number("market_id")
            order.intake = row.number("order_protocol")
            return order
        }
    }

    /// Epoch seconds of a time such as 2026-01-31 18:05:00, UTC.
    private static func moment(_ text: String) -> Double? {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space).year().month().day().time(
            includingFractionalSeconds: false)
        // The caller reports a row with a time that does not parse.
        return (try? Date(text, strategy: style))?.timeIntervalSince1970
    }
}

extension Double {
    /// Hours of a day, 0 up to 24.
    fileprivate var dayHour: Double { self - 24 * (self / 24).rounded(.down) }
}

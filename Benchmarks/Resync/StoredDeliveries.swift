/// Fills the tables of all three services with deliveries, each a copy of one that went through them.
struct StoredDeliveries {
    let stack: Stack
    /// The ids of the deliveries in picking, on the way, and ended.
    let picking: String
    let onTheWay: String
    let ended: String

    /// Inserts live deliveries, of which one in five is on the way, each with a customer, a device and a card.
    func insertLive(_ count: Int) throws {
        try insert(
            count, of: "CASE WHEN n % 5 = 0 THEN '\(onTheWay)' ELSE '\(picking)' END", named: "live", endedAt: nil)
        try copyCards()
    }

    /// Inserts deliveries that ended within the last twelve hours; nothing of them is on a screen.
    func insertEnded(_ count: Int) throws {
        try insert(count, of: "'\(ended)'", named: "gone", endedAt: "now() - n * interval '12 hours' / \(count)")
    }

    /// Deletes one in `oneIn` live deliveries from `courier-eta`, and resets its version in `activity-dispatch`.
    ///
    /// - Returns: the number of lost objects.
    func lose(oneIn: Int, ofLive count: Int) throws -> Int {
        _ = try stack.query(
            "DELETE FROM courier_eta.deliveries WHERE delivery_id IN (\(lostIDs(oneIn, count)))",
            """
            UPDATE activity_dispatch.activities SET version = 0, step = 0
            WHERE delivery_id IN (\(lostIDs(oneIn, count)))
            """)
        return try countLost(oneIn: oneIn, ofLive: count)
    }

    /// The number of lost objects that are still lost.
    func countLost(oneIn: Int, ofLive count: Int) throws -> Int {
        try stack.count(
            """
            SELECT (SELECT count(*) FROM (\(lostIDs(oneIn, count))) AS lost (id)
                    WHERE NOT EXISTS (SELECT FROM courier_eta.deliveries WHERE delivery_id = id))
                + (SELECT count(*) FROM activity_dispatch.activities
                    WHERE delivery_id IN (\(lostIDs(oneIn, count))) AND version = 0)
            """)
    }

    /// Every one of them is on its way, so that both services are to know it.
    private func lostIDs(_ oneIn: Int, _ count: Int) -> String {
        "SELECT \(id(named: "live")) FROM generate_series(\(oneIn), \(count), \(oneIn)) AS n"
    }

    /// - Parameters:
    ///   - template: the delivery to copy.
    ///   - name: the common prefix of the ids and customers.
    private func insert(_ count: Int, of template: String, named name: String, endedAt: String?) throws {
        let numbers = "generate_series(1, \(count)) AS n"
        _ = try stack.query(
            "INSERT INTO activity_dispatch.customers (customer_id) SELECT '\(name)-' || n FROM \(numbers)")
        let (id, customer) = (id(named: name), "'\(name)-' || n")
        let ends = endedAt.map { ["ended_at": $0] } ?? [:]
        func copy(_ table: String, _ own: [String: String], documents: [String]) throws {
            var own = own.merging(["delivery_id": id]) { $1 }
            for column in documents {
                own[column] = """
                    replace(replace(t.\(column)::text, t.delivery_id, \(id)), '"' || t.customer_id || '"',
                        '"' || \(customer) || '"')::jsonb
                    """
            }
            try stack.copyRows(
                of: table, own: own, from: "FROM \(numbers) JOIN \(table) AS t ON t.delivery_id = \(template)")
        }
        // In the order in which nothing that is republished already is there before its row.
        try copy(
            "activity_dispatch.activities",
            [
                "customer_id": customer, "activity_id": "replace(t.activity_id, t.delivery_id, \(id))",
                "wanted_at": endedAt ?? "now()",
            ], documents: ["wanted"])
        try stack.copyRows(
            of: "activity_dispatch.card_health", own: ["delivery_id": id],
            from: "FROM \(numbers) JOIN activity_dispatch.card_health AS t ON t.delivery_id = \(template)")
        try copy(
            "courier_eta.deliveries",
            ["customer_id": customer, "courier_id": "t.courier_id || '-' || n"].merging(ends) { $1 },
            documents: ["snapshot"])
        try copy(
            "orders.deliveries", ["customer_id": customer].merging(ends) { $1 }, documents: ["snapshot"])
    }

    /// Copies the card of its template, with device and event, for each live activity.
    private func copyCards() throws {
        let card = "('00000000-0000-4000-8000-' || right(a.delivery_id, 12))::uuid"
        let from = """
            FROM activity_dispatch.activities AS a
                JOIN activity_dispatch.activities AS m ON m.wanted -> 'show' -> 'content' ->> 'phase'
                    = a.wanted -> 'show' -> 'content' ->> 'phase' AND m.delivery_id IN ('\(picking)', '\(onTheWay)')
                JOIN activity_dispatch.cards AS c ON c.activity_id = m.activity_id
            """
        let own = "WHERE a.customer_id LIKE 'live-%'"
        try stack.copyRows(
            of: "activity_dispatch.devices",
            own: [
                "device_id": "a.customer_id", "customer_id": "a.customer_id", "due_at": "now() + interval '4 hours'",
            ], from: "\(from) JOIN activity_dispatch.devices AS t ON t.device_id = c.device_id \(own)")
        try stack.copyRows(
            of: "activity_dispatch.cards",
            own: ["card_id": card, "activity_id": "a.activity_id", "device_id": "a.customer_id"],
            from: "\(from) JOIN activity_dispatch.cards AS t ON t.card_id = c.card_id \(own)")
        try stack.copyRows(
            of: "activity_dispatch.device_events", own: ["card_id": card, "device_id": "a.customer_id"],
            from: "\(from) JOIN activity_dispatch.device_events AS t ON t.card_id = c.card_id \(own)")
    }

    /// A UUID for each number.
    private func id(named name: String) -> String {
        "('00000000-0000-4000-\(name == "live" ? "8000" : "9000")-' || lpad(to_hex(n), 12, '0'))"
    }
}

extension Stack {
    /// Copies rows of a table, and has Postgres count them.
    ///
    /// - Parameters:
    ///   - table: with its schema.
    ///   - own: columns that differ from the row `t` that is copied.
    ///   - rows: the rest of the statement from FROM on.
    func copyRows(of table: String, own: [String: String], from rows: String) throws {
        let name = table.split(separator: ".")
        let answer = try query(
            """
            SELECT column_name FROM information_schema.columns
            WHERE table_schema = '\(name[0])' AND table_name = '\(name[1])'
                AND is_generated = 'NEVER' AND is_identity = 'NO' ORDER BY ordinal_position
            """)
        let columns = answer.split(separator: "\n").map(String.init)
        let values = columns.map { own[$0] ?? "t.\($0)" }
        _ = try query(
            """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) \(rows)
            """)
        // The next copy joins it.
        _ = try query("ANALYZE \(table)")
    }
}

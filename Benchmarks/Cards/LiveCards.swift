/// Fills the tables of `activity-dispatch` with live cards, each of a customer and a device of its own.
struct LiveCards {
    let stack: Stack

    /// Cards that are on screens.
    func count() throws -> Int {
        try stack.count("SELECT count(*) FROM activity_dispatch.cards WHERE state = 'active'")
    }

    /// Copies one card of the load, with its rows, up to this number.
    func fill(to cards: Int) throws {
        let present = try count()
        guard cards > present else { return }
        let numbers = "generate_series(\(present + 1), \(cards)) AS n"
        let template = """
            (SELECT card_id FROM activity_dispatch.cards JOIN activity_dispatch.activities USING (activity_id)
             WHERE state = 'active' AND delivery_id IS NOT NULL AND device_id NOT LIKE 'filled-%' ORDER BY number LIMIT 1)
            """
        let ownCard = "('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"
        let activity = "replace(t.activity_id, a.delivery_id, 'filled-' || n)"
        let joined = """
            FROM activity_dispatch.cards AS c JOIN activity_dispatch.activities AS a USING (activity_id),
                \(numbers)
            """
        _ = try stack.query(
            "INSERT INTO activity_dispatch.customers (customer_id) SELECT 'filled-' || n FROM \(numbers)")
        try copy(
            "activities", ["activity_id": activity, "customer_id": "'filled-' || n", "delivery_id": "'filled-' || n"],
            from: """
                \(joined) JOIN activity_dispatch.activities AS t ON true
                WHERE c.card_id = \(template) AND t.activity_id = c.activity_id
                """)
        try copy(
            "devices",
            [
                "device_id": "'filled-' || n", "customer_id": "'filled-' || n",
                // Like a device whose cards are up to date: the resync checks a device that is never due.
                "due_at": "now() + interval '4 hours'",
            ],
            from: """
                \(joined) JOIN activity_dispatch.devices AS t ON true
                WHERE c.card_id = \(template) AND t.device_id = c.device_id
                """)
        try copy(
            "cards", ["card_id": ownCard, "activity_id": activity, "device_id": "'filled-' || n"],
            from: """
                \(joined) JOIN activity_dispatch.cards AS t ON true
                WHERE c.card_id = \(template) AND t.card_id = c.card_id
                """)
        try copy(
            "device_events", ["card_id": ownCard, "device_id": "'filled-' || n"],
            from: """
                \(joined) JOIN activity_dispatch.device_events AS t ON true
                WHERE c.card_id = \(template) AND t.card_id = c.card_id
                """)
        _ = try stack.query("VACUUM ANALYZE")
    }

    private func copy(_ table: String, _ own: [String: String], from rows: String) throws {
        try stack.copyRows(of: "activity_dispatch.\(table)", own: own, from: rows)
    }
}

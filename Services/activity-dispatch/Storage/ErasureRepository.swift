import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The SQL that ends the cards of an erased customer, and that erases them.
enum ErasureRepository {
    /// Activities of a delivery, and summaries of a customer, are numbered; no object has had more of them.
    private static let episodesMax = 1_000

    /// The activities that a customer's summaries have had, or may have had.
    static func summaries(of customer: CustomerID) -> [String] {
        (1...episodesMax).map { ActivityID(summaryOf: customer, episode: $0).rawValue }
    }

    /// The activities whose cards end before a part is erased: of ended deliveries, and the customer's ended summaries.
    private static func ended(_ request: ErasureRequest) -> SQL {
        """
        is_ended AND customer_id = \(request.customer)
            AND (delivery_id = ANY(\(request.deliveryIDs)::text[]) OR delivery_id IS NULL)
        """
    }

    /// Whether a card is on a screen, or may be.
    private static func isShown(at now: Date) -> SQL {
        "(state IN ('starting', 'active') OR state = 'ended' AND dismissed_at > \(now))"
    }

    /// Makes the cards of ended activities leave their screens now, and counts those that have not left.
    ///
    /// A delivery whose end has not arrived yet counts too. A device that is another customer's since may still show one.
    /// - Returns: the number of activities and cards that are still to end.
    static func endCards(_ request: ErasureRequest, at now: Date, in transaction: PostgresTransaction) async throws
        -> Int
    {
        let devices = try await transaction.query(
            """
            SELECT device_id FROM devices WHERE device_id IN (
                SELECT device_id FROM devices WHERE customer_id = \(request.customer)
                UNION SELECT device_id FROM cards WHERE activity_id IN (
                    SELECT activity_id FROM activities WHERE \(sql: ended(request))) AND \(sql: isShown(at: now)))
            ORDER BY device_id FOR NO KEY UPDATE
            """
        ).map { try $0.decode("device_id", as: DeviceID.self) }
        let results = try await transaction.batch([
            """
            SELECT count(*) AS count FROM activities WHERE NOT is_ended AND customer_id = \(request.customer)
                AND delivery_id = ANY(\(request.deliveryIDs)::text[])
            """,
            """
            UPDATE cards SET must_end = true WHERE NOT must_end AND device_id = ANY(\(devices.map(\.rawValue))::text[])
                AND activity_id IN (SELECT activity_id FROM activities WHERE \(sql: ended(request)))
                AND \(sql: isShown(at: now))
            RETURNING device_id
            """,
            """
            SELECT count(*) AS count FROM cards WHERE device_id = ANY(\(devices.map(\.rawValue))::text[])
                AND activity_id IN (SELECT activity_id FROM activities WHERE \(sql: ended(request)))
                AND \(sql: isShown(at: now))
            """,
        ])
        let due = Set(try results[1].rows.map { try $0.decode("device_id", as: DeviceID.self) })
        if !due.isEmpty { try await transaction.execute(ActivityRepository.makeDue(due.sorted(), at: now)) }
        return try results[0].rows[0].decode("count", as: Int.self) + results[2].rows[0].decode("count", as: Int.self)
    }

    /// Deletes what was shown of deliveries, and leaves their activities as late intents meet them.
    ///
    /// - Parameter erased: the deliveries' activities without their customer.
    static func erase(_ request: ErasureRequest, as erased: [Activity], at now: Date, from rows: inout ErasedRows)
        async throws
    {
        let own = request.deliveryIDs
        // The order of locks of all transactions: the customer, then devices.
        _ = try await rows.transaction.batch([
            "INSERT INTO customers (customer_id) VALUES (\(request.pseudonym)) ON CONFLICT DO NOTHING",
            """
            SELECT FROM customers WHERE customer_id IN (\(request.customer), \(request.pseudonym))
            ORDER BY customer_id FOR UPDATE
            """,
            """
            SELECT FROM devices WHERE device_id IN (
                SELECT device_id FROM devices WHERE customer_id = \(request.customer)
                UNION SELECT device_id FROM cards WHERE activity_id IN (
                    SELECT activity_id FROM activities WHERE delivery_id = ANY(\(own)::text[])))
            ORDER BY device_id FOR UPDATE
            """,
        ])
        let known = try await rows.transaction.query(
            "SELECT activity_id FROM activities WHERE delivery_id = ANY(\(own)::text[])"
        ).map { try $0.decode("activity_id", as: String.self) }
        let shown = Set(known + erased.map(\.id.rawValue)).sorted()
        try await rows.erase(
            "alert_subscriptions", "DELETE FROM alert_subscriptions WHERE delivery_id = ANY(\(own)::text[])")
        try await rows.erase("card_health", "DELETE FROM card_health WHERE delivery_id = ANY(\(own)::text[])")
        try await eraseLedger(of: shown, from: &rows)
        try await rows.erase("cards", "DELETE FROM cards WHERE activity_id = ANY(\(shown)::text[])")
        try await rows.erase("activities", replaceErased(erased, at: now))
        try await rows.erase(
            "activities",
            """
            UPDATE activities SET customer_id = \(request.pseudonym), wanted = newest.wanted, is_ended = true,
                step = newest.step, traceparent = NULL
            FROM activities AS newest
            WHERE activities.delivery_id = ANY(\(own)::text[]) AND activities.customer_id <> \(request.pseudonym)
                AND newest.activity_id = ANY(\(erased.map(\.id.rawValue))::text[])
                AND newest.delivery_id = activities.delivery_id
            """)
    }

    /// Deletes what is of the customer and of no delivery: summaries, and devices without another delivery.
    ///
    /// - Parameter keepingDevices: whether an order was placed since, whether it is known here or not.
    static func eraseCustomer(
        _ customer: CustomerID, keepingDevices: Bool, from rows: inout ErasedRows
    ) async throws {
        try await eraseLedger(of: summaries(of: customer), from: &rows)
        try await rows.erase(
            "activities", "DELETE FROM activities WHERE customer_id = \(customer) AND is_ended AND delivery_id IS NULL")
        guard !keepingDevices else { return }
        let isWithoutActivity: SQL =
            "NOT EXISTS (SELECT FROM activities WHERE activities.customer_id = \(customer))"
        try await rows.erase(
            "device_connections",
            """
            DELETE FROM device_connections WHERE device_id IN (
                SELECT device_id FROM devices WHERE customer_id = \(customer)) AND \(sql: isWithoutActivity)
            """)
        try await rows.erase(
            "devices", "DELETE FROM devices WHERE customer_id = \(customer) AND \(sql: isWithoutActivity)")
        try await rows.erase(
            "customers", "DELETE FROM customers WHERE customer_id = \(customer) AND \(sql: isWithoutActivity)")
    }

    private static func eraseLedger(of activities: [String], from rows: inout ErasedRows) async throws {
        try await rows.erase("pushes", "DELETE FROM pushes WHERE activity_id = ANY(\(activities)::text[])")
        try await rows.erase("overrides", "DELETE FROM overrides WHERE activity_id = ANY(\(activities)::text[])")
    }

    /// Puts the ends without their customer in the place of what is known, and of what late intents would bring.
    private static func replaceErased(_ erased: [Activity], at now: Date) -> SQL {
        """
        INSERT INTO activities AS known (activity_id, customer_id, delivery_id, store_id, wanted, is_ended, version,
            step, wanted_at)
        SELECT *, \(now) FROM unnest(\(sql: ActivityRepository.columns(of: erased)))
        ORDER BY 1
        ON CONFLICT (activity_id) DO UPDATE SET customer_id = excluded.customer_id, wanted = excluded.wanted,
            is_ended = true, version = greatest(known.version, excluded.version), step = excluded.step,
            traceparent = NULL,
            wanted_at = CASE WHEN known.is_ended THEN known.wanted_at ELSE excluded.wanted_at END
        """
    }
}

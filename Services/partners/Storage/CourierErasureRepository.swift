import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The SQL that erases a courier from events and receipts of their deliveries.
enum CourierErasureRepository {
    /// Replaces the courier; the events and reports stay.
    ///
    /// - Parameter late: live deliveries and those that ended later are inserted where they are not known yet.
    static func erase(
        _ request: CourierErasureRequest, insertingEndedAfter late: Date, at now: Date, from rows: inout ErasedRows
    ) async throws {
        let deliveries = request.deliveries.map(\.delivery).sorted { $0.id < $1.id }
        let own = deliveries.map(\.id.rawValue)
        // The lock of messages about them.
        _ = try await rows.transaction.query(
            "SELECT pg_advisory_xact_lock(hashtextextended(id, 1)) FROM unnest(\(own)::text[]) AS id")
        try await eraseEvents(request.courier, of: own, from: &rows)
        try await eraseReceipts(request.courier, of: own, from: &rows)
        let recent = deliveries.filter { $0.endedAt.map { $0 > late } ?? true }
        try await rows.erase("deliveries", insert(recent, at: now))
        try await rows.erase("deliveries", mark(deliveries, at: now))
    }

    /// The versions of the deliveries that this service has not seen, as far as it knows.
    static func unseen(
        _ request: CourierErasureRequest, knownSince late: Date, on database: some PostgresExecutor
    ) async throws -> [(delivery: Delivery, versions: ClosedRange<Int>)] {
        let deliveries = request.deliveries.map(\.delivery)
        let rows = try await database.query(
            """
            SELECT delivery_id, greatest(version, seen_version) AS version FROM deliveries
            WHERE delivery_id = ANY(\(deliveries.map(\.id.rawValue))::text[])
            """)
        var seen: [DeliveryID: Int] = [:]
        for row in rows {
            guard let id = DeliveryID(rawValue: try row.decode("delivery_id")) else { continue }
            seen[id] = try row.decode("version", as: Int.self)
        }
        return deliveries.compactMap { delivery in
            // An unknown one that ended before is out of the streams, and was never asked for.
            let isRecent = delivery.endedAt.map { $0 > late } ?? true
            guard let last = seen[delivery.id] ?? (isRecent ? 0 : nil), last < delivery.version else { return nil }
            return (delivery, (last + 1)...delivery.version)
        }
    }

    private static func eraseEvents(
        _ courier: ErasedCourier, of deliveries: [String], from rows: inout ErasedRows
    ) async throws {
        let texts = ["\"\(courier.id)\""] + courier.searchedTexts
        let found = try await rows.transaction.query(
            """
            SELECT event_id, body FROM events WHERE delivery_id = ANY(\(deliveries)::text[])
                AND EXISTS (SELECT FROM unnest(\(texts)::text[]) AS known (text)
                    WHERE position(convert_to(known.text, 'UTF8') IN body) > 0)
            """)
        let changed = try found.compactMap { row -> (id: String, body: [UInt8])? in
            guard let body = courier.replaced(inEvent: Data(try row.decode("body", as: [UInt8].self))) else {
                return nil
            }
            return (try row.decode("event_id"), [UInt8](body))
        }
        guard !changed.isEmpty else { return }
        try await rows.erase(
            "events",
            """
            UPDATE events SET body = new.body
            FROM unnest(\(changed.map(\.id))::text[], \(PostgresBytesArray(changed.map(\.body))))
                AS new (event_id, body)
            WHERE events.event_id = new.event_id
            """)
        let events: SQL = "SELECT unnest(\(changed.map(\.id))::text[])"
        // An attempt that is being settled is logged by the time that its row can be locked, and one that is settled
        // later finds the delivery marked.
        for queue in ErasureRepository.queues(of: events) {
            _ = try await rows.transaction.query(
                """
                SELECT FROM event_deliveries WHERE \(sql: queue) ORDER BY event_delivery_id FOR NO KEY UPDATE
                """)
        }
        // A receiver may answer with what it was sent.
        try await rows.erase(
            "attempts",
            """
            UPDATE attempts SET answer = NULL WHERE \(sql: ErasureRepository.isOfAny(events)) AND answer IS NOT NULL
            """)
    }

    /// Replaces the courier in reports, and deletes the bodies of webhooks that name the courier.
    ///
    /// A body is the provider's own, and no part of it is replaced.
    private static func eraseReceipts(
        _ courier: ErasedCourier, of deliveries: [String], from rows: inout ErasedRows
    ) async throws {
        let found = try await rows.transaction.query(
            """
            SELECT receipt_id, coalesce(body_of, receipt_id) AS webhook_id, report FROM receipts
            WHERE receipt_id IN (\(sql: ErasureRepository.receipts(of: deliveries))) AND report IS NOT NULL
            """)
        var changed: [(id: UUID, report: ProviderReport?)] = []
        var webhooks: Set<UUID> = []
        for row in found {
            let report = try row.decodeJSON("report", as: ProviderReport.self)
            let next = report.without(courier)
            guard next != report else { continue }
            changed.append((try row.decode("receipt_id"), next))
            webhooks.insert(try row.decode("webhook_id"))
        }
        webhooks.formUnion(try await self.webhooks(naming: courier, of: deliveries, in: rows.transaction))
        try await rows.erase(
            "receipts",
            "UPDATE receipts SET body = NULL WHERE body IS NOT NULL AND receipt_id = ANY(\(Array(webhooks)))")
        guard !changed.isEmpty else { return }
        try await rows.erase(
            "receipts",
            """
            UPDATE receipts SET report = new.report
            FROM unnest(\(changed.map(\.id)), \(PostgresJSONArray(changed.map(\.report)))) AS new (receipt_id, report)
            WHERE receipts.receipt_id = new.receipt_id
            """)
    }

    /// The webhooks of the deliveries' receipts whose bodies name the courier.
    private static func webhooks(
        naming courier: ErasedCourier, of deliveries: [String], in transaction: PostgresTransaction
    ) async throws -> [UUID] {
        // JSON may write any letter of a name by its number.
        let texts = ["\"\(courier.id)\"", "\\u"] + courier.searchedTexts
        return try await transaction.query(
            """
            SELECT receipt_id, body FROM receipts
            WHERE body IS NOT NULL
                AND receipt_id IN (SELECT coalesce(body_of, receipt_id) FROM receipts
                    WHERE receipt_id IN (\(sql: ErasureRepository.receipts(of: deliveries))))
                AND EXISTS (SELECT FROM unnest(\(texts)::text[]) AS known (text)
                    WHERE position(convert_to(known.text, 'UTF8') IN body) > 0)
            """
        ).compactMap { row in
            let body = String(decoding: try row.decode("body", as: [UInt8].self), as: UTF8.self)
            return courier.isNamed(in: body) ? try row.decode("receipt_id") : nil
        }
    }

    /// Marks deliveries, with the events of all their versions sent: ``EraseCourier`` has made them, and a late message
    /// makes none.
    private static func mark(_ known: [Delivery], at now: Date) -> SQL {
        """
        UPDATE deliveries SET seen_version = greatest(deliveries.seen_version, new.version),
            version = CASE WHEN deliveries.version IS NOT NULL THEN greatest(deliveries.version, new.version) END,
            status = CASE WHEN deliveries.version < new.version THEN new.status ELSE deliveries.status END,
            courier_status = CASE WHEN deliveries.version < new.version THEN new.courier_status
                ELSE deliveries.courier_status END,
            summarised_after = 0, summarised_to = greatest(deliveries.seen_version, new.version),
            ended_at = CASE WHEN deliveries.seen_version < new.version THEN new.ended_at
                ELSE coalesce(deliveries.ended_at, new.ended_at) END,
            courier_erased_at = \(now)
        FROM (\(sql: rows(known))) AS new WHERE deliveries.delivery_id = new.delivery_id
        """
    }

    private static func insert(_ unknown: [Delivery], at now: Date) -> SQL {
        """
        INSERT INTO deliveries (delivery_id, store_id, seen_version, version, status, courier_status, ended_at, seen_at)
        SELECT delivery_id, store_id, version, version, status, courier_status, ended_at, \(now)
        FROM (\(sql: rows(unknown))) AS new ORDER BY delivery_id ON CONFLICT (delivery_id) DO NOTHING
        """
    }

    private static func rows(_ deliveries: [Delivery]) -> SQL {
        """
        SELECT * FROM unnest(\(deliveries.map(\.id.rawValue))::text[], \(deliveries.map(\.store.id.rawValue))::text[],
            \(deliveries.map(\.version))::integer[], \(deliveries.map(\.status.code.rawValue))::text[],
            \(PostgresNullableArray(deliveries.map(\.status.courierStatus?.rawValue)))::text[],
            \(PostgresNullableArray(deliveries.map(\.endedAt)))::timestamptz[])
            AS new (delivery_id, store_id, version, status, courier_status, ended_at)
        """
    }
}

extension ErasedCourier {
    /// The body of an event without the courier; nil where the event does not name them.
    fileprivate func replaced(inEvent body: Data) -> Data? {
        // The body is this service's own JSON; of another text nothing is replaced.
        guard var event = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            var data = event["data"] as? [String: Any]
        else { return nil }
        var hasChanged = false
        if let courier = data["courier"] as? [String: Any], courier["id"] as? String == id.rawValue {
            data["courier"] = [
                "id": pseudonym.rawValue, "name": Self.name, "vehicle": Self.vehicle.rawValue,
            ]
            hasChanged = true
        }
        if let proofs = data["proofs"] as? [[String: Any]] {
            data["proofs"] = proofs.map { proof in
                guard let reason = proof["reason"] as? String, redacted(reason) != reason else { return proof }
                hasChanged = true
                return proof.merging(["reason": redacted(reason)]) { $1 }
            }
        }
        guard hasChanged else { return nil }
        event["data"] = data
        // What was JSON a moment ago still is.
        return try? JSONSerialization.data(withJSONObject: event, options: [.sortedKeys, .withoutEscapingSlashes])
    }
}

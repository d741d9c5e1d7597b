import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// This service's sections of a courier's archive.
extension ExportRecords {
    /// - Parameter personalData: opens numbers.
    static func courierSources(on pool: PostgresPool, personalData: PersonalDataBox) -> [ExportSource] {
        [
            ExportSource(.descriptions) { try await descriptions($0, after: $1, opening: personalData, on: pool) },
            ExportSource(.rides) { try await rides($0, after: $1, opening: personalData, on: pool) },
            ExportSource(.actions) { try await actions($0, after: $1, on: pool) },
            ExportSource(.courierPresses, on: pool, rows: courierPresses),
        ]
    }

    /// The shop's description and each store's, at the end; a store's archive has that of the store.
    ///
    /// - Throws: ``PersonalDataBox/Unreadable`` for a number whose key is missing: no archive is without it.
    private static func descriptions(
        _ request: ExportRequest, after: String, opening box: PersonalDataBox, on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        guard request.isLast, let courier = request.courier else { return [] }
        let store = request.store?.rawValue
        return try await pool.query(
            """
            SELECT 'shop' AS key, NULL AS store_id, snapshot, described_at FROM couriers
            WHERE courier_id = \(courier.rawValue) AND is_shop_wide AND \(store)::text IS NULL AND 'shop' > \(after)
            UNION ALL
            SELECT ('store/' || store_id) COLLATE "C", store_id, snapshot, described_at FROM store_couriers
            WHERE courier_id = \(courier.rawValue) AND store_id = coalesce(\(store), store_id)
                AND ('store/' || store_id) COLLATE "C" > \(after)
            ORDER BY 1 LIMIT \(ExportSource.rowsMax)
            """
        ).map { row in
            let described: Courier = try row.decodeJSON("snapshot")
            let record = ExportedDescription(
                store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init(rawValue:)),
                name: described.name, phone: try box.number(of: described), vehicle: described.vehicle,
                describedAt: try row.decode("described_at"))
            return ExportedRow(key: try row.decode("key"), record: try text(record))
        }
    }

    /// The part's deliveries that are still the courier's.
    ///
    /// - Throws: ``PersonalDataBox/Unreadable`` for a number whose key is missing: no archive is without it.
    private static func rides(
        _ request: ExportRequest, after: String, opening box: PersonalDataBox, on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        var rows: [ExportedRow] = []
        for id in ids(request, from: after).filter({ $0.rawValue != after }).prefix(deliveriesMax) {
            let delivery = try await OrderRepository.delivery(id, opening: nil, on: pool)?.delivery
            let ride = try delivery.flatMap { delivery in
                try delivery.courier.flatMap { courier in
                    courier.id == request.courier
                        ? ExportedRide(delivery, of: courier, phone: try box.number(of: courier)) : nil
                }
            }
            rows.append(ExportedRow(key: id.rawValue, record: try ride.map(text)))
        }
        return rows
    }

    /// The courier's changes, at the end: in all deliveries, of which other couriers may have some since.
    ///
    /// The timeline is searched by its keys, some entries a reading; no index has actors.
    private static func actions(
        _ request: ExportRequest, after: String, on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        guard request.isLast, let courier = request.courier else { return [] }
        let (first, reader) = (Int(after) ?? 0, Principal(.courier(courier)))
        let searched = try await pool.query(
            """
            SELECT count(*) AS count, lpad(coalesce(max(timeline_id), 0)::text, 20, '0') AS last FROM (
                SELECT timeline_id FROM timeline WHERE timeline_id > \(first) ORDER BY timeline_id
                LIMIT \(CourierErasureRepository.timelineMax)
            ) AS page
            """)[0]
        let last: String = try searched.decode("last")
        let isOfStore: SQL =
            request.store.map { store in
                """
                 AND EXISTS (SELECT FROM deliveries
                    WHERE deliveries.delivery_id = timeline.delivery_id AND store_id = \(store.rawValue))
                """
            } ?? ""
        var rows = try await pool.query(
            """
            SELECT lpad(timeline_id::text, 20, '0') AS key, delivery_id, at, version, kind, what, changed_by, reason,
                occurred_at, source, report_id, is_late, is_inferred
            FROM timeline WHERE timeline_id > \(first) AND timeline_id <= \(Int(last) ?? 0)
                AND changed_by = \("courier \(courier)") AND at > coalesce(\(request.since), '-infinity')
                \(sql: isOfStore)
            ORDER BY timeline_id LIMIT \(ExportSource.rowsMax)
            """
        ).map { row in
            let entry = try OrderRepository.timelineEntry(row)
            let record = ExportedAction(entry, of: try row.identifier("delivery_id"))
            return ExportedRow(
                key: try row.decode("key"), record: entry.isVisible(to: reader) ? try text(record) : nil)
        }
        // The end of a whole page, from which the search goes on.
        if try searched.decode("count", as: Int.self) == CourierErasureRepository.timelineMax,
            rows.count < ExportSource.rowsMax
        {
            rows.append(ExportedRow(key: last, record: nil))
        }
        return rows
    }

    /// Presses on the courier's page, at the end.
    private static func courierPresses(_ request: ExportRequest) -> SQL? {
        guard request.isLast, let courier = request.courier else { return nil }
        return """
            SELECT press_id::text AS key, jsonb_build_object('delivery', delivery_id, 'action', action,
                'state', state, 'pressedAt', pressed_at, 'dueAt', due_at) AS record
            FROM courier_presses JOIN deliveries USING (delivery_id)
            WHERE courier_presses.courier_id = \(courier.rawValue)
                AND pressed_at > coalesce(\(request.since), '-infinity')
                AND store_id = coalesce(\(request.store?.rawValue), store_id)
            """
    }
}

import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// This service's sections of archives; couriers' are in an extension.
enum ExportRecords {
    /// Deliveries of one reading; each has a basket.
    static let deliveriesMax = 10

    /// - Parameters:
    ///   - personalData: opens drop-offs and numbers.
    ///   - images: opens photos and signatures; nil where none are kept.
    ///   - visibility: the stores whose customers see them.
    static func sources(
        on pool: PostgresPool, personalData: PersonalDataBox, images: ProofImageBox?, visibility: ImageVisibility
    ) -> [ExportSource] {
        [
            ExportSource(.orders, on: pool, rows: orders),
            ExportSource(.deliveries) { try await deliveries($0, after: $1, opening: personalData, on: pool) },
            ExportSource(.timeline) { try await timeline($0, after: $1, on: pool) },
            ExportSource(.presses, on: pool, rows: presses),
            ExportSource(.proofs) {
                try await proofs($0, after: $1, images: images, visibility: visibility, on: pool)
            },
        ] + courierSources(on: pool, personalData: personalData)
    }

    /// The zone of the person's newest delivery, of the store where one asks.
    static func timeZone(
        of person: RequestedPerson, at store: StoreID?, on database: some PostgresExecutor
    ) async throws -> String {
        try await database.query(
            """
            SELECT deliveries.snapshot->'store'->>'timeZone' AS zone FROM deliveries JOIN orders USING (order_id)
            WHERE deliveries.\(sql: person.isMeant)
                AND deliveries.store_id = coalesce(\(store?.rawValue), deliveries.store_id)
            ORDER BY placed_at DESC LIMIT 1
            """
        ).first?.decode("zone") ?? "UTC"
    }

    /// The orders whose first delivery is of the part, so that each is in one part.
    private static func orders(_ request: ExportRequest) -> SQL {
        """
        SELECT order_id AS key, jsonb_build_object('order', order_id, 'number', reference, 'store', store_id,
            'storeName', snapshot->'store'->>'name', 'placedAt', placed_at, 'language', snapshot->>'language',
            'deliveries', snapshot->'deliveries') AS record
        FROM orders WHERE order_id IN (
            SELECT order_id FROM deliveries WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
                AND NOT EXISTS (SELECT FROM deliveries AS other
                    WHERE other.order_id = deliveries.order_id AND other.delivery_id < deliveries.delivery_id))
        """
    }

    /// A part's deliveries from one of them on, as the keys of a section rise.
    static func ids(_ request: ExportRequest, from id: String) -> [DeliveryID] {
        request.deliveries.map(\.delivery).filter { $0.rawValue >= id }.sorted()
    }

    /// - Throws: ``PersonalDataBox/Unreadable`` for a drop-off whose key is missing: no archive is without it.
    private static func deliveries(
        _ request: ExportRequest, after: String, opening box: PersonalDataBox, on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        var rows: [ExportedRow] = []
        for id in ids(request, from: after).filter({ $0.rawValue != after }).prefix(deliveriesMax) {
            let record = try await OrderRepository.delivery(id, opening: box, on: pool)
            if let unreadable = record?.unreadable { throw unreadable }
            rows.append(ExportedRow(key: id.rawValue, record: try record.map { try text(ExportedDelivery($0)) }))
        }
        return rows
    }

    private static func timeline(
        _ request: ExportRequest, after: String, on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        guard let customer = request.customer else { return [] }
        let reader = Principal(.customer(customer))
        return try await pool.query(
            """
            SELECT lpad(timeline_id::text, 20, '0') AS key, delivery_id, at, version, kind, what, changed_by, reason,
                occurred_at, source, report_id, is_late, is_inferred
            FROM timeline WHERE delivery_id = ANY(\(request.deliveryIDs)::text[]) AND timeline_id > \(Int(after) ?? 0)
            ORDER BY timeline_id LIMIT \(ExportSource.rowsMax)
            """
        ).map { row in
            let entry = try OrderRepository.timelineEntry(row)
            let record = ExportedEntry(entry.redacted(for: reader), of: try row.identifier("delivery_id"))
            return ExportedRow(
                key: try row.decode("key"), record: entry.isVisible(to: reader) ? try text(record) : nil)
        }
    }

    /// The first answers to pressed links; their hashes order them and are in no record.
    private static func presses(_ request: ExportRequest) -> SQL {
        """
        SELECT encode(link_hash, 'hex') AS key, jsonb_build_object('delivery', delivery_id, 'verb', verb,
            'pressedAt', coalesce(at, pressed_at), 'answer', status) AS record
        FROM link_presses WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
        """
    }

    /// The proofs of deliveries by number, those of reopened hand-overs first; the key is the delivery with the number.
    ///
    /// A reading ends with the photo that fills a chunk.
    private static func proofs(
        _ request: ExportRequest, after: String, images: ProofImageBox?, visibility: ImageVisibility,
        on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        let parts = after.split(separator: "/")
        let (last, done) = (parts.first.map(String.init) ?? "", parts.count == 2 ? Int(parts[1]) ?? 0 : 0)
        var (rows, bytes): ([ExportedRow], Int) = ([], 0)
        for id in ids(request, from: last) {
            guard let delivery = try await OrderRepository.delivery(id, opening: nil, on: pool)?.delivery,
                let proof = delivery.proof
            else { continue }
            let all = ((proof.former ?? []) + proof.given).enumerated().dropFirst(id.rawValue == last ? done : 0)
            for (index, one) in all {
                guard bytes < ExportChunk.bytesMax else { return rows }
                var record = ExportedProof(one, of: id)
                if let hash = one.image {
                    record.image(
                        try await image(hash, of: delivery, images: images, visibility: visibility, on: pool))
                }
                let text = try text(record)
                bytes += text.utf8.count
                rows.append(ExportedRow(key: "\(id)/\(numberText(index + 1))", record: text))
            }
        }
        return rows
    }

    /// A photo or signature as the customer may see it.
    private static func image(
        _ hash: String, of delivery: Delivery, images: ProofImageBox?, visibility: ImageVisibility,
        on pool: PostgresPool
    ) async throws -> ExportedProof.Image {
        guard visibility.includes(delivery.store.id) else { return .leftOut("the store does not show it to customers") }
        guard visibility.shows(hash, of: delivery) else { return .leftOut("it does not count for the hand-over") }
        guard let stored = try await ProofImageRepository.image(hash, of: delivery.id, on: pool) else {
            return .leftOut("expired")
        }
        guard let bytes = images?.open(stored.sealed, hash: hash, of: delivery.id) else {
            return .leftOut("the key that opens it is missing")
        }
        return .shown(type: stored.format.contentType, bytes: bytes)
    }

    /// A number of a delivery's proofs that sorts as text.
    private static func numberText(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    static func text(_ record: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(record), as: UTF8.self)
    }
}

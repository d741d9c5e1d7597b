import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// This service's sections of archives: a customer's arrivals, without positions, and what is of a courier alone.
enum ExportRecords {
    /// Deliveries of one reading; each has its tracking state.
    private static let deliveriesMax = 10
    /// Positions of one reading, which are some 128 KB.
    private static let positionsMax = 1_000

    /// An arrival as it was estimated and detected.
    struct Arrival: Encodable {
        let delivery: DeliveryID
        /// The newest estimate on screens.
        let arrivesAt: Date?
        let earliestAt: Date?
        let latestAt: Date?
        let estimatedAt: Date?
        let milestones: [Reached]

        struct Reached: Encodable {
            let milestone: Milestone
            let reachedAt: Date
        }

        init(_ tracked: TrackedDelivery) {
            let (delivery, tracking) = (tracked.delivery, tracked.tracking)
            self.delivery = delivery.id
            arrivesAt = tracking.published?.arrivesAt
            earliestAt = tracking.published?.earliest
            latestAt = tracking.published?.latest
            estimatedAt = tracking.published?.madeAt
            milestones = tracking.milestones.map { Reached(milestone: $0.milestone, reachedAt: $0.at) }
        }
    }

    static func sources(on pool: PostgresPool) -> [ExportSource] {
        [
            arrivals(on: pool),
            ExportSource(.positions) { try await positions($0, after: $1, on: pool) },
            ExportSource(.duties, on: pool, rows: duties), ExportSource(.phones, on: pool, rows: phones),
            ExportSource(.map, on: pool, rows: map),
        ]
    }

    private static func arrivals(on pool: PostgresPool) -> ExportSource {
        ExportSource(.arrivals) { request, after in
            let ids = request.deliveries.map(\.delivery).filter { after < $0.rawValue }.sorted().prefix(deliveriesMax)
            let known = try await DeliveryRepository.deliveries(Array(ids), on: pool)
            return try ids.map { id in
                let record = try known[id].map { String(decoding: try WireJSON.encode(Arrival($0)), as: UTF8.self) }
                return ExportedRow(key: id.rawValue, record: record)
            }
        }
    }

    // MARK: Couriers

    /// The courier whose rows follow a request's last deliveries: what is of the whole shop is in no store's archive.
    private static func courier(_ request: ExportRequest) -> CourierID? {
        request.isLast && request.store == nil ? request.courier : nil
    }

    /// The courier's positions by time, and then by phone, in the order of the table's key.
    private static func positions(
        _ request: ExportRequest, after: String, on pool: PostgresPool
    ) async throws -> [ExportedRow] {
        guard let courier = courier(request) else { return [] }
        let place = after.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isLater: SQL =
            place.count == 2
            ? """
            (fixed_at, phone_id)
                > ('epoch'::timestamptz + \(Int(place[0]) ?? 0)::bigint * interval '1 microsecond', \(place[1]))
            """ : "true"
        return try await pool.query(
            """
            SELECT lpad((extract(epoch FROM fixed_at) * 1000000)::bigint::text, 20, '0') || '/' || phone_id AS key,
                jsonb_strip_nulls(jsonb_build_object('at', fixed_at, 'latitude', latitude, 'longitude', longitude,
                    'accuracy', accuracy, 'speed', speed, 'heading', heading, 'receivedAt', received_at,
                    'phone', nullif(phone_id, '')))::text AS record
            FROM fixes WHERE courier_id = \(courier) AND \(sql: isLater)
            ORDER BY fixed_at, phone_id LIMIT \(positionsMax)
            """
        ).map { ExportedRow(key: try $0.decode("key"), record: try $0.decode("record", as: String.self)) }
    }

    /// Declared periods, with the role of who declared them.
    private static func duties(_ request: ExportRequest) -> SQL? {
        courier(request).map { courier in
            """
            SELECT lpad((extract(epoch FROM began_at) * 1000000)::bigint::text, 20, '0') AS key,
                jsonb_build_object('beganAt', began_at, 'endedAt', ended_at,
                    'by', split_part(reported_by, ' ', 1)) AS record
            FROM duties WHERE courier_id = \(courier)
            """
        }
    }

    /// The courier's phones, also revoked ones, without their credentials.
    private static func phones(_ request: ExportRequest) -> SQL? {
        courier(request).map { courier in
            """
            SELECT phone_id AS key, jsonb_build_object('phone', phone_id, 'app', app, 'label', label,
                'enrolledAt', enrolled_at, 'seenAt', last_seen_at, 'revokedAt', revoked_at,
                'unreadablePositions', malformed, 'unreadableAt', malformed_at) AS record
            FROM phones WHERE courier_id = \(courier)
            """
        }
    }

    /// The last place for customers' maps, and since when no map shows the courier; none where neither is stored.
    private static func map(_ request: ExportRequest) -> SQL? {
        courier(request).map { courier in
            """
            SELECT 'map' AS key, jsonb_build_object('hiddenSinceAt', since, 'positionAt', latest_at,
                'seenAt', seen_at, 'latitude', seen_latitude, 'longitude', seen_longitude) AS record
            FROM (SELECT * FROM couriers WHERE courier_id = \(courier)) AS seen
            FULL JOIN (SELECT * FROM map_exemptions WHERE courier_id = \(courier)) AS exempt USING (courier_id)
            """
        }
    }
}

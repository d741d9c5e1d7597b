import Foundation
import PostgresClient

/// The SQL of devices' connections: which streams are open, and when each device was last seen.
enum DeviceConnectionRepository {
    /// Wall seconds for which a stream counts as open after its last record.
    static let openSeconds = 90

    /// Stores the opened, the closed and the still open streams, in this order.
    ///
    /// A stream of a device that is gone is not stored: its customer was erased after it was opened. The lock has an
    /// erasure that is not committed yet decide.
    /// - Parameters:
    ///   - opened: each replaces the stream in its device's row; one that is in `closed` too does not replace an open
    ///     stream, which is another replica's.
    ///   - open: each replaces a closed stream in its device's row.
    ///   - now: domain time.
    static func store(
        opened: [ConnectedStream], closed: [ConnectedStream], open: [ConnectedStream], at now: Date,
        on pool: PostgresPool
    ) async throws {
        var statements: [SQL] = []
        if !opened.isEmpty {
            let ended = Set(opened).intersection(closed).map(\.id.uuidString)
            statements.append(
                """
                INSERT INTO device_connections AS known (device_id, stream_id, seen_at, open_until)
                SELECT device_id, streams.stream_id, \(now),
                    clock_timestamp() + make_interval(secs => CASE
                        WHEN streams.stream_id = ANY(\(ended)::uuid[]) THEN 0 ELSE \(openSeconds) END) AS open_until
                FROM \(sql: rows(opened)) JOIN devices USING (device_id) ORDER BY device_id FOR KEY SHARE OF devices
                ON CONFLICT (device_id) DO UPDATE SET stream_id = excluded.stream_id, open_until = excluded.open_until,
                    seen_at = greatest(known.seen_at, excluded.seen_at)
                WHERE excluded.open_until > clock_timestamp() OR known.open_until <= clock_timestamp()
                """)
        }
        if !closed.isEmpty { statements.append(update(closed, openSeconds: 0, where: "false", at: now)) }
        if !open.isEmpty {
            let isClosed: SQL = "known.open_until <= clock_timestamp()"
            statements.append(update(open, openSeconds: openSeconds, where: isClosed, at: now))
        }
        guard !statements.isEmpty else { return }
        _ = try await pool.batch(statements)
    }

    /// - Parameter replaces: whether a stream replaces another one in its device's row.
    private static func update(
        _ streams: [ConnectedStream], openSeconds: Int, where replaces: SQL, at now: Date
    ) -> SQL {
        """
        UPDATE device_connections AS known SET stream_id = streams.stream_id,
            seen_at = greatest(known.seen_at, \(now)),
            open_until = clock_timestamp() + make_interval(secs => \(openSeconds))
        FROM \(sql: rows(streams))
        WHERE known.device_id = streams.device_id AND (known.stream_id = streams.stream_id OR \(sql: replaces))
        """
    }

    private static func rows(_ streams: [ConnectedStream]) -> SQL {
        """
        unnest(\(streams.map(\.device.rawValue))::text[], \(streams.map(\.id.uuidString))::uuid[])
            AS streams (device_id, stream_id)
        """
    }
}

/// A device stream with an id of its own.
struct ConnectedStream: Hashable, Sendable {
    let id: UUID
    let device: DeviceID
}

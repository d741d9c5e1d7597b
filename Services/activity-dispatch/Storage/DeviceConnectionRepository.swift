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
    /// - Parameter now: domain time.
    static func store(
        opened: [ConnectedStream], closed: [ConnectedStream], open: [ConnectedStream], at now: Date,
        on pool: PostgresPool
    ) async throws {
        var statements: [SQL] = []
        if !opened.isEmpty {
            statements.append(
                """
                INSERT INTO device_connections AS known (device_id, stream_id, seen_at, open_until)
                SELECT device_id, streams.stream_id, \(now),
                    clock_timestamp() + make_interval(secs => \(openSeconds)) AS open_until
                FROM \(sql: rows(opened)) JOIN devices USING (device_id) ORDER BY device_id FOR KEY SHARE OF devices
                ON CONFLICT (device_id) DO UPDATE SET stream_id = excluded.stream_id, open_until = excluded.open_until,
                    seen_at = greatest(known.seen_at, excluded.seen_at)
                """)
        }
        if !closed.isEmpty { statements.append(update(closed, openSeconds: 0, at: now)) }
        if !open.isEmpty { statements.append(update(open, openSeconds: openSeconds, at: now)) }
        guard !statements.isEmpty else { return }
        _ = try await pool.batch(statements)
    }

    private static func update(_ streams: [ConnectedStream], openSeconds: Int, at now: Date) -> SQL {
        """
        UPDATE device_connections AS known SET seen_at = greatest(known.seen_at, \(now)),
            open_until = clock_timestamp() + make_interval(secs => \(openSeconds))
        FROM \(sql: rows(streams))
        WHERE known.device_id = streams.device_id AND known.stream_id = streams.stream_id
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

import Foundation
import PostgresClient

/// Deletes what is past its retention.
enum ExpiredRows {
    /// Domain days after a delivery's end that its address, recipient and note are kept, for what is asked about it.
    static let dropOffDays = 30.0

    /// - Parameter now: domain time, which ends have. Rows without one are kept for people and auditors, and expire by
    ///   wall time.
    static func delete(on database: some PostgresExecutor, at now: Date) async throws {
        try await database.execute(
            "DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => \(IdempotencyKeys.retentionHours)::integer)"
        )
        try await database.execute("DELETE FROM link_presses WHERE pressed_at < now() - interval '30 days'")
        try await database.execute("DELETE FROM timeline WHERE recorded_at < now() - interval '30 days'")
        try await database.execute(
            OrderRepository.deleteDropOffs(endedBefore: now.addingTimeInterval(-dropOffDays * 86_400)))
    }
}

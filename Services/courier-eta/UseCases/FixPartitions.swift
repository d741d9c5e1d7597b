import Foundation
import PostgresClient
import Synchronization

/// Creates the daily partitions of fixes before they are needed.
final class FixPartitions: Sendable {
    static let daySeconds = 86_400.0

    private let pool: PostgresPool
    /// The newest day number for which its partition and its neighbours' are known to exist.
    private let createdAround = Mutex<Int?>(nil)

    init(pool: PostgresPool) { self.pool = pool }

    /// Creates the partitions of the day before, this one and the next, unless they are known to exist.
    func create(around now: Date) async throws {
        let day = Int((now.timeIntervalSince1970 / Self.daySeconds).rounded(.down))
        guard createdAround.withLock({ $0 != day }) else { return }
        for offset in [-1.0, 0, 1] {
            try await FixRepository.createPartition(of: now.addingTimeInterval(offset * Self.daySeconds), on: pool)
        }
        createdAround.withLock { $0 = day }
    }
}

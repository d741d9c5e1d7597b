import Foundation
import PostgresClient
import Synchronization

/// Creates the daily partitions of fixes before they are needed.
final class FixPartitions: Sendable {
    static let daySeconds = 86_400.0
    /// Days after the present one whose partitions are created before they begin.
    static let daysAhead = 3

    private let pool: PostgresPool
    /// The numbers of the days whose partitions are known to exist.
    private let known = Mutex<Set<Int>>([])

    init(pool: PostgresPool) { self.pool = pool }

    /// Creates the partitions of fixes that are received now, unless they are known to exist.
    ///
    /// A fix that is not of the day before, this one or the next is never recorded, and needs none.
    func create(for times: [Date], receivedAt now: Date) async throws {
        let near = times.filter { abs($0.timeIntervalSince(now)) < 2 * Self.daySeconds }
        let today = Self.day(now)
        let needed = Set(near.map(Self.day)).intersection((today - 1)...(today + 1))
        for day in known.withLock({ needed.subtracting($0) }).sorted() { try await create(day) }
    }

    /// Creates the partitions from the day before to ``daysAhead`` after this one, unless they exist.
    func createAhead(of now: Date) async throws {
        let today = Self.day(now)
        for day in (today - 1)...(today + Self.daysAhead) { try await create(day) }
    }

    private static func day(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / daySeconds).rounded(.down)) }

    private func create(_ day: Int) async throws {
        try await FixRepository.createPartition(
            of: Date(timeIntervalSince1970: Double(day) * Self.daySeconds), on: pool)
        known.withLock { _ = $0.insert(day) }
    }
}

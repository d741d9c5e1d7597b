import DomainTime
import Foundation
import Metrics
import PostgresClient
import Synchronization

/// Measures the totals of the last 24 counted hours by store.
final class MeasureCards: Sendable {
    /// Stores with gauges of their own; the totals of further ones are those of the store `*`.
    static let storesMax = 100

    private let pool: PostgresPool
    private let clock: DomainClock
    /// Stores that have gauges.
    private let measured = Mutex<Set<String>>([])

    init(pool: PostgresPool, clock: DomainClock) {
        self.pool = pool
        self.clock = clock
    }

    func callAsFunction() async throws {
        let until = try await CardTotalsRepository.progress(at: clock.now, on: pool).countedUntil
        let totals = Self.largest(
            try await CardTotalsRepository.storeTotals(
                since: until.addingTimeInterval(-TotalsSchedule.day), on: pool))
        let former = measured.withLock { measured in
            defer { measured = Set(totals.keys) }
            return measured
        }
        // A gauge keeps its last value, and a store without cards would show those of the day before.
        for store in former.subtracting(totals.keys) { DispatchMetrics.record(StoreTotals(), of: store) }
        for (store, totals) in totals { DispatchMetrics.record(totals, of: store) }
    }

    /// The stores with the most deliveries, and the sum of the others.
    static func largest(_ totals: [String: StoreTotals]) -> [String: StoreTotals] {
        let ranked = totals.sorted {
            ($1.value.counts[.deliveries], $0.key) < ($0.value.counts[.deliveries], $1.key)
        }
        return ranked.enumerated().reduce(into: [:]) { stores, one in
            stores[one.offset < storesMax ? one.element.key : "*", default: StoreTotals()].add(one.element.value)
        }
    }
}

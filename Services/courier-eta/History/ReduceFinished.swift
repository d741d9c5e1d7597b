import ArrivalEstimate
import BackgroundWork
import DomainTime
import Foundation
import Logging
import Messages
import Metrics
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// Reduces ended deliveries to what a model learns from, while their positions are there, and keeps that for a season.
final class ReduceFinished: Service {
    /// Seconds after a delivery's end until it is looked at: by then a phone has sent what it saved up.
    static let settlingSeconds = 30.0 * 60
    /// Days that ways and stays are kept.
    static let keptDays = 90.0
    /// Hours before its end that a delivery is looked back on at most.
    static let hoursMax = 6.0
    /// Deliveries of one transaction.
    static let batchSize = 50
    /// Domain time between two runs.
    static let interval = Duration.seconds(600)

    private let pool: PostgresPool
    private let clock: DomainClock
    private let metrics: MetricsRegistry
    private let logger: Logger

    init(pool: PostgresPool, clock: DomainClock, metrics: MetricsRegistry, logger: Logger) {
        self.pool = pool
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Reduces one batch.
    ///
    /// - Returns: how many deliveries it was; fewer than ``batchSize`` when none are left.
    func reduce(at now: Date) async throws -> Int {
        let outcomes = try await pool.withTransaction(retriesMax: 3) { transaction in
            let ended = try await HistoryRepository.toReduce(
                endedBefore: now.addingTimeInterval(-Self.settlingSeconds), rowsMax: Self.batchSize, in: transaction)
            var outcomes: [String] = []
            for one in ended { outcomes.append(try await Self.reduce(one, in: transaction)) }
            if !ended.isEmpty { try await HistoryRepository.markReduced(ended.map(\.id), in: transaction) }
            return outcomes
        }
        for outcome in outcomes {
            Counter(label: "finished_ways_total", dimensions: [("outcome", outcome)], factory: metrics).increment()
        }
        return outcomes.count
    }

    private static func reduce(
        _ ended: HistoryRepository.Ended, in transaction: PostgresTransaction
    ) async throws -> String {
        guard let watched = ended.watched else { return "unreadable" }
        var fixes: [Fix] = []
        let endedAt = watched.delivery.endedAt ?? watched.change.changedAt
        if let courier = watched.delivery.courier?.id {
            let earliest = endedAt.addingTimeInterval(-hoursMax * 3_600)
            fixes = try await HistoryRepository.fixes(
                of: courier, from: max(ended.courierSince ?? earliest, earliest),
                to: endedAt.addingTimeInterval(FinishedRide.reportSeconds), on: transaction)
        }
        let ride = FinishedRide(watched, fixes: fixes)
        try await HistoryRepository.keep(ride, finishedAt: endedAt, in: transaction)
        return ride.outcome.rawValue
    }

    /// Deletes what was kept for long enough.
    func drop(at now: Date) async throws {
        let rows = try await HistoryRepository.delete(
            finishedBefore: now.addingTimeInterval(-Self.keptDays * FixDays.daySeconds), on: pool)
        guard rows > 0 else { return }
        logger.info("Old finished ways and stays were deleted", metadata: ["rows": "\(rows)"])
    }

    /// Looks every ten domain minutes until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("reduction of ended deliveries", every: Self.interval, on: clock, logger: logger) {
            let now = self.clock.now
            while try await self.reduce(at: now) == Self.batchSize {}
            try await self.drop(at: now)
        }.run()
    }
}

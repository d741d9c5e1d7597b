import ArrivalEstimate
import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import Logging
import Messages
import Metrics
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// Summarizes ended deliveries into training data while their fixes exist.
struct SummarizeCompletedLegs: Service {
    /// Seconds after a delivery's end until it is summarized: by then a phone has sent its backlog.
    static let settlingSeconds = 30.0 * 60
    /// Hours before a delivery's end from which fixes are read at most.
    static let hoursMax = 6.0
    /// Deliveries of one transaction.
    static let batchSize = 50
    /// Domain time between two runs.
    static let interval = Duration.seconds(600)

    let pool: PostgresPool
    let clock: DomainClock
    let metrics: MetricsRegistry
    let logger: Logger

    /// Summarizes one batch.
    ///
    /// - Returns: how many deliveries it had; fewer than ``batchSize`` when none are left.
    func summarize(at now: Date) async throws -> Int {
        let outcomes = try await pool.withTransaction(retriesMax: 3) { transaction in
            let ended = try await CompletedLegRepository.toSummarize(
                endedBefore: now.addingTimeInterval(-Self.settlingSeconds), rowsMax: Self.batchSize, in: transaction)
            var outcomes: [String] = []
            for one in ended { outcomes.append(try await Self.summarize(one, in: transaction)) }
            if !ended.isEmpty {
                try await CompletedLegRepository.markSummarized(ended.map(\.id), in: transaction)
            }
            return outcomes
        }
        for outcome in outcomes {
            CourierETAMetrics.completedLegs.counter([("outcome", outcome)], in: metrics).increment()
        }
        return outcomes.count
    }

    private static func summarize(
        _ ended: CompletedLegRepository.EndedDelivery, in transaction: PostgresTransaction
    ) async throws -> String {
        guard let tracked = ended.tracked else { return "unreadable" }
        var fixes: [Fix] = []
        let endedAt = tracked.delivery.endedAt ?? tracked.change.changedAt
        if let courier = tracked.delivery.courier?.id {
            let earliest = endedAt.addingTimeInterval(-hoursMax * 3_600)
            fixes = try await FixRepository.fixes(
                of: courier, from: max(ended.courierSince ?? earliest, earliest),
                to: endedAt.addingTimeInterval(CompletedDelivery.reportSeconds), on: transaction)
        }
        let completed = CompletedDelivery(tracked, fixes: fixes)
        try await CompletedLegRepository.insert(completed, completedAt: endedAt, in: transaction)
        return completed.outcome.rawValue
    }

    /// Summarizes every ten domain minutes until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("summary of completed legs", every: Self.interval, on: clock, logger: logger) {
            let now = clock.now
            while try await summarize(at: now) == Self.batchSize {}
        }.run()
    }
}

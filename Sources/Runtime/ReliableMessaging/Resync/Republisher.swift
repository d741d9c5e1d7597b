internal import BackgroundWork
internal import DeclaredMetrics
package import Logging
internal import Metrics
package import PostgresClient
internal import ServiceLifecycle

/// Some things that were republished.
package struct RepublishedPage: Sendable {
    /// How many there were.
    package var count: Int
    /// What the next page begins after; nil when this was the last.
    package var next: String?
    /// Those that could not be republished; they are not in `count`.
    package var skipped: [SkippedRow]

    package init(count: Int, next: String?, skipped: [SkippedRow] = []) {
        self.count = count
        self.next = next
        self.skipped = skipped
    }
}

/// Periodic resync: enqueues the snapshot of everything live over and over, each again within an interval.
///
/// The round's position is in the database and moves in the transaction that enqueues, so one replica works at a time,
/// and a restart resumes the round.
package final class Republisher: Service {
    /// Enqueues the snapshots of at most that many things whose cursor is greater, in ascending order; nil is the start.
    package typealias Page =
        @Sendable (_ after: String?, _ rowsMax: Int, PostgresTransaction) async throws
        -> RepublishedPage

    private let pool: PostgresPool
    private let name: String
    private let plan: RepublishPlan
    private let logger: Logger
    private let afterCommit: @Sendable () -> Void
    private let page: Page
    private let republished: Counter
    private let skipped: Counter

    /// - Parameters:
    ///   - name: of what is republished, such as `deliveries`; replicas agree on it.
    ///   - interval: within which each thing is republished again, however many there are.
    ///   - pageRowsMax: things in one transaction.
    ///   - afterCommit: called after every page, to wake the relay.
    package init(
        pool: PostgresPool, name: String, interval: Duration = .seconds(600), pageRowsMax: Int = 200, logger: Logger,
        afterCommit: @escaping @Sendable () -> Void = {}, page: @escaping Page
    ) {
        self.pool = pool
        self.name = name
        self.logger = logger
        self.afterCommit = afterCommit
        self.page = page
        plan = RepublishPlan(interval: interval, pageRowsMax: pageRowsMax)
        republished = MessagingMetrics.resyncRepublished.counter([("name", name)])
        skipped = MessagingMetrics.resyncSkipped.counter([("name", name)])
    }

    /// Republishes until graceful shutdown.
    ///
    /// Never fails because of an outage.
    package func run() async throws {
        try await PeriodicTask("resync of \(name)", every: plan.tick, logger: logger) {
            try await self.tick()
        }.run()
    }

    /// Enqueues everything at once, beside the periodic round.
    ///
    /// - Returns: how many things.
    @discardableResult
    package func republishNow() async throws -> Int {
        var count = 0
        var position: String?
        repeat {
            let after = position
            let done = try await pool.withTransaction { try await page(after, plan.pageRowsMax, $0) }
            report(done.skipped)
            afterCommit()
            republished.increment(by: done.count)
            count += done.count
            position = done.next
        } while position != nil
        logger.info("All live snapshots were republished", metadata: ["count": "\(count)"])
        return count
    }

    /// Republishes what is due by now, unless another replica is doing so.
    ///
    /// - Returns: how many things.
    @discardableResult
    func tick() async throws -> Int {
        try await pool.execute("INSERT INTO republish_rounds (name) VALUES (\(name)) ON CONFLICT DO NOTHING")
        var count = 0
        var quota: Int?
        repeat {
            let left = quota
            guard let step = try await nextStep(left) else { break }
            report(step.skipped)
            afterCommit()
            republished.increment(by: step.done)
            count += step.done
            quota = step.left
        } while (quota ?? 0) > 0 && !Task.isCancelled
        return count
    }

    private struct Step {
        var done: Int
        /// How many of those due at this tick are left.
        var left: Int
        var skipped: [SkippedRow]
    }

    private func report(_ skipped: [SkippedRow]) {
        self.skipped.increment(by: skipped.count)
        for row in skipped {
            logger.error(
                "A row cannot be republished and was skipped",
                metadata: ["id": "\(row.id)", "reason": "\(row.reason)"])
        }
    }

    /// One page, in one transaction with the round's position.
    ///
    /// - Parameter quota: how many of those due at this tick are left; nil at its start.
    /// - Returns: nil when there is nothing to do.
    private func nextStep(_ quota: Int?) async throws -> Step? {
        try await pool.withTransaction { try await step($0, quota: quota) }
    }

    private func step(_ transaction: PostgresTransaction, quota: Int?) async throws -> Step? {
        guard var round = try await lockRound(transaction) else { return nil }
        if quota == nil, let next = plan.next(after: round) {
            round = next
            try await transaction.execute(
                """
                UPDATE republish_rounds SET started_at = clock_timestamp(), position = NULL, last_total = done, done = 0,
                    is_complete = false
                WHERE name = \(name)
                """)
        }
        let due = round.isComplete ? 0 : quota ?? plan.due(in: round)
        guard due > 0 else { return nil }
        let page = try await page(round.position, min(due, plan.pageRowsMax), transaction)
        round.advance(count: page.count, next: page.next)
        try await transaction.execute(
            """
            UPDATE republish_rounds SET position = \(round.position), done = \(round.done),
                is_complete = \(round.isComplete)
            WHERE name = \(name)
            """)
        return Step(done: page.count, left: round.isComplete ? 0 : due - page.count, skipped: page.skipped)
    }

    private func lockRound(_ transaction: PostgresTransaction) async throws -> RepublishPlan.Round? {
        let rows = try await transaction.query(
            """
            SELECT extract(epoch FROM clock_timestamp() - started_at)::float8 AS elapsed, position, done, last_total,
                is_complete
            FROM republish_rounds WHERE name = \(name) FOR UPDATE SKIP LOCKED
            """)
        return try rows.first.map { row in
            RepublishPlan.Round(
                elapsed: .seconds(try row.decode("elapsed", as: Double.self)), position: try row.decode("position"),
                done: try row.decode("done"), lastTotal: try row.decode("last_total"),
                isComplete: try row.decode("is_complete"))
        }
    }
}

internal import BackgroundWork
internal import CoreMetrics
internal import DeclaredMetrics
internal import Foundation
package import Logging
internal import Metrics
package import PostgresClient
internal import ServiceLifecycle

/// Some things that were republished.
package struct RepublishedPage: Sendable {
    /// How many there were.
    package var count: Int
    /// What the slice's next page begins after; nil when this was its last.
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
    /// Enqueues the snapshots of at most that many things, the next of the slice.
    package typealias Page =
        @Sendable (_ slice: RepublishSlice, _ rowsMax: Int, PostgresTransaction) async throws
        -> RepublishedPage

    private let pool: PostgresPool
    private let name: String
    private let plan: RepublishPlan
    private let logger: Logger
    private let afterCommit: @Sendable () -> Void
    private let page: Page
    private let republished: Counter
    private let skipped: Counter
    private let pageDuration: CoreMetrics.Timer

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
        pageDuration = MessagingMetrics.resyncPage.timer([("name", name)])
    }

    /// Republishes until graceful shutdown.
    ///
    /// Never fails because of an outage.
    package func run() async throws {
        try await PeriodicTask("resync of \(name)", every: plan.poll, logger: logger) {
            try await self.tick()
        }.run()
    }

    /// Enqueues everything at once, beside the periodic round.
    ///
    /// - Returns: how many things.
    @discardableResult
    package func republishNow() async throws -> Int {
        var count = 0
        for number in 0..<RepublishSlice.count {
            var position: String?
            repeat {
                let slice = RepublishSlice(number, after: position)
                let start = ContinuousClock.now
                let done = try await pool.withTransaction { try await page(slice, plan.pageRowsMax, $0) }
                report(done, since: start)
                count += done.count
                position = done.next
                try Task.checkCancellation()
            } while position != nil
        }
        logger.info("All live snapshots were republished", metadata: ["count": "\(count)"])
        return count
    }

    /// Republishes the slices that are due by now, unless another replica is doing so.
    ///
    /// - Returns: how many things.
    @discardableResult
    func tick() async throws -> Int {
        try await insertRound()
        var count = 0
        while !Task.isCancelled {
            // Locked only where something is due, so that looking writes nothing.
            guard let seen = try await readRound(on: pool), plan.isDue(seen.round, at: seen.now) else { break }
            let start = ContinuousClock.now
            let page = try await pool.withTransaction { try await step($0) }
            guard let done = page else { break }
            report(done, since: start)
            count += done.count
        }
        return count
    }

    private func report(_ page: RepublishedPage, since start: ContinuousClock.Instant) {
        afterCommit()
        pageDuration.record(duration: ContinuousClock.now - start)
        republished.increment(by: page.count)
        skipped.increment(by: page.skipped.count)
        for row in page.skipped {
            logger.error(
                "A row cannot be republished and was skipped",
                metadata: ["id": "\(row.id)", "reason": "\(row.reason)"])
        }
    }

    /// One page, in one transaction with the round's position.
    ///
    /// - Returns: nil when there is nothing to do.
    private func step(_ transaction: PostgresTransaction) async throws -> RepublishedPage? {
        guard case (var round, let now)? = try await readRound(on: transaction, locking: "FOR UPDATE SKIP LOCKED"),
            plan.isDue(round, at: now)
        else { return nil }
        let page = try await page(
            RepublishSlice(round.slice, after: round.position), plan.pageRowsMax, transaction)
        plan.advance(&round, to: page.next, at: now)
        try await transaction.execute(
            """
            UPDATE resync_rounds SET slice = \(round.slice), position = \(round.position), slice_due_at = \(round.dueAt),
                slice_begun_at = \(round.begunAt)
            WHERE name = \(name)
            """)
        return page
    }

    private func insertRound() async throws {
        guard try await readRound(on: pool) == nil else { return }
        try await pool.execute("INSERT INTO resync_rounds (name) VALUES (\(name)) ON CONFLICT DO NOTHING")
    }

    /// - Returns: nil where there is none, or another replica has it locked.
    private func readRound(
        on database: some PostgresExecutor, locking: SQL = ""
    ) async throws -> (round: RepublishPlan.Round, now: Date)? {
        let rows = try await database.query(
            """
            SELECT slice, position, slice_due_at, slice_begun_at, clock_timestamp() AS now FROM resync_rounds
            WHERE name = \(name) \(sql: locking)
            """)
        return try rows.first.map { row in
            let round = RepublishPlan.Round(
                slice: try row.decode("slice"), position: try row.decode("position"),
                dueAt: try row.decode("slice_due_at"), begunAt: try row.decode("slice_begun_at"))
            return (round, try row.decode("now"))
        }
    }
}

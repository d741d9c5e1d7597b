internal import BackgroundWork
internal import CoreMetrics
internal import DeclaredMetrics
internal import Foundation
package import Logging
internal import Metrics
internal import NatsClient
package import PostgresClient
internal import ServiceLifecycle

/// Periodic resync: compares everything live with readers' revisions, each object once per interval, and enqueues the
/// snapshots that readers lack.
///
/// The round's position is in the database and moves in the transaction that enqueues, so one replica works at a time,
/// and a restart resumes the round.
package final class Republisher: Service {
    private let pool: PostgresPool
    private let name: String
    private let plan: RepublishPlan
    private let pageRowsMax: Int
    private let readers: DigestRequester
    private let logger: Logger
    private let afterCommit: @Sendable () -> Void
    private let rows: any RepublishedRows
    private let compared: Counter
    private let republished: Counter
    private let skipped: Counter
    private let pageDuration: CoreMetrics.Timer

    /// - Parameters:
    ///   - name: of the kind of objects, such as `deliveries`; replicas agree on it.
    ///   - interval: the time within which each object is compared again.
    ///   - pageRowsMax: objects in one transaction.
    ///   - readers: the requester of readers' revisions.
    ///   - afterCommit: called after every page, to wake the relay.
    ///   - rows: the republished rows.
    package init(
        pool: PostgresPool, name: String, interval: Duration = .seconds(600), pageRowsMax: Int = 200,
        readers: DigestRequester, logger: Logger, afterCommit: @escaping @Sendable () -> Void = {},
        rows: some RepublishedRows
    ) {
        self.pool = pool
        self.name = name
        self.pageRowsMax = pageRowsMax
        self.readers = readers
        self.logger = logger
        self.afterCommit = afterCommit
        self.rows = rows
        plan = RepublishPlan(interval: interval)
        compared = MessagingMetrics.resyncCompared.counter([("name", name)])
        republished = MessagingMetrics.resyncRepublished.counter([("name", name)])
        skipped = MessagingMetrics.resyncSkipped.counter([("name", name)])
        pageDuration = MessagingMetrics.resyncPage.timer([("name", name)])
    }

    /// Compares and republishes until graceful shutdown.
    ///
    /// Never fails because of an outage.
    /// - Throws: never; a failed tick is logged and repeated.
    package func run() async throws {
        try await PeriodicTask("resync of \(name)", every: plan.poll, logger: logger) {
            try await self.tick()
        }.run()
    }

    /// Enqueues everything at once, whatever readers have, independently of the periodic round, and then what they lack
    /// of the older ends.
    ///
    /// They were away when these were published. Without the broker older ends are not compared.
    ///
    /// - Returns: the number of objects.
    /// - Throws: ``PostgresError``.
    @discardableResult
    package func republishAll() async throws -> Int {
        let recent = try await passThrough(.all)
        readers.askAgain()
        let unanswered = readers.unansweredCount
        var older = 0
        var fault: NatsError?
        do {
            older = try await passThrough(.lacking(silentLackAll: false), ends: .older)
        } catch let error as NatsError {
            fault = error
        }
        if fault != nil || readers.unansweredCount != unanswered {
            logger.warning(
                "Older ends were not compared with every reader: republish again once all answer",
                metadata: fault.map { ["error": "\($0)"] } ?? [:])
        }
        logger.info(
            "All live snapshots were republished", metadata: ["count": "\(recent)", "older_ends": "\(older)"])
        return recent + older
    }

    /// Enqueues at once everything that readers lack, independently of the periodic round; only that round republishes
    /// to readers that do not answer.
    ///
    /// - Returns: the number of objects, and whether every reader has answered.
    /// - Throws: ``PostgresError``, or the broker's error where it is unreachable.
    package func republishLacking() async throws -> (count: Int, isComplete: Bool) {
        readers.askAgain()
        let unanswered = readers.unansweredCount
        let count = try await passThrough(.lacking(silentLackAll: false))
        if count > 0 { logger.info("Everything that readers lacked was republished", metadata: ["count": "\(count)"]) }
        return (count, readers.unansweredCount == unanswered)
    }

    /// The objects of a page to republish.
    private enum Selection {
        case all
        /// Objects that readers lack, as in ``DigestRequester``.
        case lacking(silentLackAll: Bool)
    }

    private func passThrough(_ selection: Selection, ends: RepublishSlice.Ends = .recent) async throws -> Int {
        var count = 0
        var next: RepublishSlice? = RepublishSlice(0, ends: ends)
        while let slice = next {
            let start = ContinuousClock.now
            let (done, following) = try await pool.withTransaction { transaction in
                let (page, following) = try await self.page(from: slice, in: transaction)
                return (try await self.republish(page, selection, in: transaction), following)
            }
            report(done, since: start)
            count += done.republished
            next = following
            try Task.checkCancellation()
        }
        return count
    }

    /// The next objects of a slice and of later slices, enough for one transaction: most slices of a small shop are
    /// empty, and a transaction for each would dominate the round's time.
    private func page(
        from first: RepublishSlice, in transaction: PostgresTransaction
    ) async throws -> (RepublishablePage, following: RepublishSlice?) {
        var page = RepublishablePage(objects: [], next: nil)
        var next: RepublishSlice? = first
        while let slice = next, page.rowCount < pageRowsMax {
            let part = try await rows.page(of: slice, rowsMax: pageRowsMax - page.rowCount, in: transaction)
            page.objects += part.objects
            page.skipped += part.skipped
            next = part.next.map { RepublishSlice(slice.number, after: $0, ends: slice.ends) } ?? slice.following
        }
        return (page, next)
    }

    /// Compares the due slices, unless another replica does.
    ///
    /// - Returns: the number of republished objects.
    @discardableResult
    func tick() async throws -> Int {
        try await insertRound()
        var count = 0
        while !Task.isCancelled {
            // The lock is acquired only where a slice is due, so that a check without work writes nothing.
            guard let seen = try await readRound(on: pool), plan.isDue(seen.round, at: seen.now) else { break }
            let start = ContinuousClock.now
            let page = try await pool.withTransaction { try await step($0) }
            guard let done = page else { break }
            report(done, since: start)
            count += done.republished
        }
        return count
    }

    /// A page that was compared.
    private struct ComparedPage: Sendable {
        var compared: Int
        var republished: Int
        var skipped: [SkippedRow]
    }

    private func report(_ page: ComparedPage, since start: ContinuousClock.Instant) {
        afterCommit()
        pageDuration.record(duration: ContinuousClock.now - start)
        compared.increment(by: page.compared)
        republished.increment(by: page.republished)
        skipped.increment(by: page.skipped.count)
        for row in page.skipped {
            logger.error(
                "A row cannot be republished and was skipped",
                metadata: ["id": "\(row.id)", "reason": "\(row.reason)"])
        }
    }

    /// Enqueues the messages of a page's objects.
    ///
    /// The transaction waits for readers' answers: its lock keeps other replicas from sending the same requests.
    private func republish(
        _ page: RepublishablePage, _ selection: Selection, in transaction: PostgresTransaction
    ) async throws -> ComparedPage {
        var done = ComparedPage(compared: page.objects.count, republished: 0, skipped: page.skipped)
        let lacking =
            switch selection {
            case .all: page.objects
            case .lacking(let silentLackAll):
                try await readers.lacking(of: page.objects, silentLackAll: silentLackAll)
            }
        guard !lacking.isEmpty else { return done }
        let republished = try await rows.messages(of: lacking.map(\.id), in: transaction)
        if !republished.messages.isEmpty { try await transaction.enqueue(republished.messages) }
        done.republished = republished.count
        done.skipped += republished.skipped
        return done
    }

    /// One page, in one transaction with the round's position.
    ///
    /// - Returns: nil when no slice is due.
    private func step(_ transaction: PostgresTransaction) async throws -> ComparedPage? {
        let stored = try await readRound(on: transaction, locking: "FOR NO KEY UPDATE SKIP LOCKED")
        guard case (var round, let now)? = stored, plan.isDue(round, at: now) else { return nil }
        let page = try await rows.page(
            of: RepublishSlice(round.slice, after: round.position), rowsMax: pageRowsMax, in: transaction)
        let done = try await republish(page, .lacking(silentLackAll: true), in: transaction)
        plan.advance(&round, to: page.next, at: now)
        try await transaction.execute(
            """
            UPDATE resync_rounds SET slice = \(round.slice), position = \(round.position), slice_due_at = \(round.dueAt),
                slice_begun_at = \(round.begunAt)
            WHERE name = \(name)
            """)
        return done
    }

    private func insertRound() async throws {
        guard try await readRound(on: pool) == nil else { return }
        try await pool.execute("INSERT INTO resync_rounds (name) VALUES (\(name)) ON CONFLICT DO NOTHING")
    }

    /// - Returns: nil where there is no round, or another replica has locked it.
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

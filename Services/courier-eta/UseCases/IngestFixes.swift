import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Ingests couriers' fixes: history, newest position, estimates, milestones and intents, in one transaction.
///
/// Many couriers cost hardly more than one: two round trips for any number, and one more for couriers missing in this
/// process's cache. A table has one statement for all of them.
struct IngestFixes: Sendable {
    /// Seconds after which a newest fix is a replayed backlog: recorded, but nothing is published from it.
    static let backlogSeconds = 120.0

    let pool: PostgresPool
    let clock: DomainClock
    let partitions: FixPartitions
    let tracker: DeliveryTracker
    let trackingMessages: TrackingMessages
    let outbox: any Outbox
    var cache = CourierCache()

    /// The number of a batch's accepted fixes, and of ignored ones by reason.
    struct Outcome: Hashable, Sendable {
        var accepted = 0
        var ignored: Drops = [:]
    }

    /// Requests that come at once, in shared transactions.
    typealias GroupCommit = PostgresClient.GroupCommit<FixBatch, CourierID, Outcome>

    /// - Parameter ingest: ``callAsFunction(_:)``.
    static func groupCommit(_ ingest: @escaping @Sendable ([FixBatch]) async throws -> [Outcome]) -> GroupCommit {
        // The database's processor is the bound.
        var configuration = GroupCommit.Configuration(transactionsMax: 3, requestsMax: 256)
        configuration.weightMax = 10_000
        return GroupCommit(configuration, key: \.courier, weight: \.fixes.count, commit: ingest)
    }

    /// - Throws: when nothing was ingested.
    func callAsFunction(_ fixes: [Fix], of courier: CourierID) async throws -> Outcome {
        try await callAsFunction([FixBatch(courier: courier, fixes: fixes)])[0]
    }

    /// Ingests several phones' batches in the order given; all of them or none.
    ///
    /// - Returns: the outcome of each.
    /// - Throws: when nothing was ingested.
    func callAsFunction(_ batches: [FixBatch]) async throws -> [Outcome] {
        guard batches.contains(where: { !$0.fixes.isEmpty || $0.recordsHeartbeat }) else {
            return batches.map { _ in Outcome() }
        }
        let now = clock.now
        try await partitions.create(for: batches.flatMap { $0.fixes.map(\.time) }, receivedAt: now)
        let couriers = Array(Set(batches.map(\.courier))).sorted()
        // After a failure the entries stay out: whether the transaction was committed may be unknown.
        let cached = cache.checkOut(couriers)
        let (ingest, outcomes, messages) = try await pool.withTransaction(retriesMax: 3) { transaction in
            var ingest = IngestTransaction(at: now, tracker: tracker, trackingMessages: trackingMessages)
            try await ingest.load(
                couriers, cached: cached, withDuty: batches.contains(where: \.isOnDutyOnly), in: transaction)
            for batch in batches { ingest.insert(batch) }
            try ingest.updateDeliveries()
            // Before the transaction is copied into the result: saving raises the revisions that the cache keeps.
            let messages = outbox.batch(of: ingest.messages)
            let outcomes = try await ingest.save(with: messages, in: transaction)
            return (ingest, outcomes, messages)
        }
        cache.checkIn(ingest.couriers.compactMapValues(\.ownEntry))
        outbox.publish(messages)
        return outcomes
    }
}

import Foundation
import OrderDomain
import PostgresClient

/// Group commit: concurrent requests share a transaction, so that thousands of phones cost dozens of commits.
///
/// The first request starts a transaction at once; requests that arrive while it runs share the next. A request is
/// answered when its fixes are durable.
actor FixBatcher {
    /// Concurrent transactions; the database's processor is the bound.
    static let transactionsMax = 3
    /// Batches of one transaction.
    static let batchesMax = 256
    /// Fixes of one transaction, unless a single batch has more.
    static let fixesMax = 10_000

    private let ingest: @Sendable ([FixBatch]) async throws -> [IngestFixes.Outcome]

    private struct Pending {
        let batch: FixBatch
        let outcome: CheckedContinuation<IngestFixes.Outcome, any Error>
    }

    private var pending: [Pending] = []
    private var transactions = 0
    /// Couriers in a running transaction; further batches of theirs wait here rather than for row locks.
    private var busy: Set<CourierID> = []

    init(ingest: @escaping @Sendable ([FixBatch]) async throws -> [IngestFixes.Outcome]) { self.ingest = ingest }

    /// - Throws: when nothing of it was ingested, or that is unknown.
    func callAsFunction(_ batch: FixBatch) async throws -> IngestFixes.Outcome {
        try await withCheckedThrowingContinuation { outcome in
            pending.append(Pending(batch: batch, outcome: outcome))
            begin()
        }
    }

    private func begin() {
        while transactions < Self.transactionsMax {
            let group = next()
            guard !group.isEmpty else { return }
            transactions += 1
            // Awaited by the callers that wait for its outcomes.
            Task {
                await run(group)
                transactions -= 1
                busy.subtract(group.map(\.batch.courier))
                begin()
            }
        }
    }

    /// The next batches in order of arrival, without busy couriers.
    private func next() -> [Pending] {
        var group: [Pending] = []
        var left: [Pending] = []
        var fixes = 0
        for one in pending {
            let hasRoom =
                group.isEmpty || (group.count < Self.batchesMax && fixes + one.batch.fixes.count <= Self.fixesMax)
            if hasRoom, !busy.contains(one.batch.courier) {
                group.append(one)
                fixes += one.batch.fixes.count
            } else {
                left.append(one)
            }
        }
        pending = left
        busy.formUnion(group.map(\.batch.courier))
        return group
    }

    private func run(_ group: [Pending]) async {
        do {
            let outcomes = try await ingest(group.map(\.batch))
            for (one, outcome) in zip(group, outcomes) { one.outcome.resume(returning: outcome) }
        } catch let error as PostgresError where error.isRetriable || group.count == 1 {
            for one in group { one.outcome.resume(throwing: error) }
        } catch  where group.count == 1 {
            group[0].outcome.resume(throwing: error)
        } catch {
            // One batch fails permanently; the others must not fail with it.
            for one in group { await run([one]) }
        }
    }
}

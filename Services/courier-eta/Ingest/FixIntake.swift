import Foundation
import OrderDomain
import PostgresClient

/// Lets the requests that come at the same time share a transaction, so that thousands of phones cost dozens of commits.
///
/// The first of them starts one at once; what comes while it runs goes into the next. A request is answered when its
/// fixes are durable.
actor FixIntake {
    /// Transactions at once; the processor is the bound, not the waiting.
    static let roundsMax = 3
    /// What several phones said, in one transaction, at most.
    static let heardMax = 256
    /// Fixes of one transaction, unless a single phone said more.
    static let fixesMax = 10_000

    private let take: @Sendable ([TakeFixes.Heard]) async throws -> [TakeFixes.Outcome]

    private struct Waiting {
        let heard: TakeFixes.Heard
        let outcome: CheckedContinuation<TakeFixes.Outcome, any Error>
    }

    private var waiting: [Waiting] = []
    private var rounds = 0
    /// Whose fixes are being taken; the same courier's wait rather than their rows' locks.
    private var busy: Set<CourierID> = []

    init(take: @escaping @Sendable ([TakeFixes.Heard]) async throws -> [TakeFixes.Outcome]) { self.take = take }

    /// - Throws: when nothing of it was taken, or nobody knows.
    func callAsFunction(_ heard: TakeFixes.Heard) async throws -> TakeFixes.Outcome {
        try await withCheckedThrowingContinuation { outcome in
            waiting.append(Waiting(heard: heard, outcome: outcome))
            begin()
        }
    }

    private func begin() {
        while rounds < Self.roundsMax {
            let round = next()
            guard !round.isEmpty else { return }
            rounds += 1
            // Awaited by those who wait for its outcomes.
            Task {
                await run(round)
                rounds -= 1
                busy.subtract(round.map(\.heard.courier))
                begin()
            }
        }
    }

    /// Those that go next: in the order of their coming, without couriers that are busy.
    private func next() -> [Waiting] {
        var round: [Waiting] = []
        var left: [Waiting] = []
        var fixes = 0
        for one in waiting {
            let hasRoom =
                round.isEmpty || (round.count < Self.heardMax && fixes + one.heard.fixes.count <= Self.fixesMax)
            if hasRoom, !busy.contains(one.heard.courier) {
                round.append(one)
                fixes += one.heard.fixes.count
            } else {
                left.append(one)
            }
        }
        waiting = left
        busy.formUnion(round.map(\.heard.courier))
        return round
    }

    private func run(_ round: [Waiting]) async {
        do {
            let outcomes = try await take(round.map(\.heard))
            for (one, outcome) in zip(round, outcomes) { one.outcome.resume(returning: outcome) }
        } catch let error as PostgresError where error.isRetriable || round.count == 1 {
            for one in round { one.outcome.resume(throwing: error) }
        } catch  where round.count == 1 {
            round[0].outcome.resume(throwing: error)
        } catch {
            // One of them cannot be taken; the others shall not share its fate.
            for one in round { await run([one]) }
        }
    }
}

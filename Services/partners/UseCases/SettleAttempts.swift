import DomainTime
import DoorstepAPI
import Foundation
import PostgresClient

/// Writes the results of attempts: the event's state, the endpoint's health, and the log.
///
/// Concurrent attempts share a transaction.
struct SettleAttempts: Sendable {
    /// An attempt that has ended.
    struct Ended: Sendable {
        let leased: EventRepository.Leased
        /// The address of the attempt, which counts for the endpoint's health while the endpoint has it.
        let url: String
        let attempt: AttemptBody
        let outcome: AttemptOutcome
    }

    private let groups: GroupCommit<Ended, EndpointID, Void>

    /// - Parameters:
    ///   - jitter: from 0 to 1, of when an event is tried again.
    ///   - disabled: called with each endpoint that is disabled by an attempt, after the commit.
    init(
        pool: PostgresPool, clock: DomainClock, jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        disabled: @escaping @Sendable (Endpoint) -> Void = { _ in }
    ) {
        groups = GroupCommit(.init(transactionsMax: 2, requestsMax: 256), key: \.leased.endpoint) { ended in
            let now = clock.now
            let newlyDisabled = try await pool.withTransaction(retriesMax: 3) { transaction in
                let ids = Set(ended.map(\.leased.endpoint)).sorted()
                let before = try await EndpointRepository.lock(ids, in: transaction)
                var endpoints = before
                /// With the health that a success ended.
                var recovered: [EndpointID: EndpointHealth] = [:]
                for one in ended where !one.leased.isReplay {
                    let id = one.leased.endpoint
                    guard !one.isAtFormerAddress(of: before) else {
                        endpoints[id]?.health.ignore(begun: one.attempt.at)
                        continue
                    }
                    let failing = endpoints[id]?.health
                    if endpoints[id]?.health.record(one.outcome, begun: one.attempt.at, at: now) == true {
                        recovered[id] = recovered[id] ?? failing
                    }
                }
                let changed = ids.compactMap { endpoints[$0] }.filter { $0.health != before[$0.id]?.health }
                try await transaction.commit(
                    with: EventRepository.settle(
                        ended.map { one in
                            one.settled(at: now, jitter: jitter(), isAtOnce: one.isAtFormerAddress(of: before))
                        })
                        + changed.map(EndpointRepository.updateHealth)
                        + recovered.sorted { $0.key < $1.key }
                        .map { EventRepository.makeDue(for: $0.key, after: $0.value, at: now) })
                return changed.filter { $0.health.disabled != nil && before[$0.id]?.health.disabled == nil }
            }
            newlyDisabled.forEach(disabled)
            return ended.map { _ in () }
        }
    }

    func callAsFunction(_ ended: Ended) async throws { try await groups(ended) }
}

extension SettleAttempts.Ended {
    /// Whether the endpoint has another address by now, or is gone.
    fileprivate func isAtFormerAddress(of endpoints: [EndpointID: Endpoint]) -> Bool {
        endpoints[leased.endpoint]?.url != url
    }

    /// A replay has one attempt; any other event is retried until it is delivered or out of attempts.
    ///
    /// - Parameter isAtOnce: whether the next attempt, where there is one, waits for nothing: it is to another address.
    fileprivate func settled(at now: Date, jitter: Double, isAtOnce: Bool) -> EventRepository.Settled {
        var next = leased.isReplay ? nil : RetrySchedule.next(after: leased.attempts + 1, at: now, jitter: jitter)
        if isAtOnce, next != nil { next = now }
        let state: EventDeliveryBody.State = outcome == .delivered ? .delivered : next == nil ? .failed : .waiting
        return EventRepository.Settled(leased: leased, state: state, dueAt: next ?? now, attempt: attempt)
    }
}

import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Takes couriers' fixes in: history, latest position, estimates, milestones and intents, in one transaction.
///
/// Many couriers cost hardly more than one: two round trips whatever their number, and one more for those that this
/// process does not remember.
struct TakeFixes: Sendable {
    /// Seconds after which a newest fix is a replayed backlog: kept, but nothing is published from it.
    static let backlogSeconds = 120.0

    let pool: PostgresPool
    let clock: DomainClock
    let days: FixDays
    let watcher: Watcher
    let announcement: Announcement
    let wake: @Sendable () -> Void
    var memory = CourierMemory()

    /// What one phone said, looked at by the normaliser.
    struct Heard: Hashable, Sendable {
        let courier: CourierID
        var phone = PhoneID.own
        let fixes: [Fix]
        /// Whether only what was measured on duty is taken.
        var isOnDutyOnly = false
        /// Whether it is time to note when the phone was last heard.
        var notesHearing = false
        /// What its messages carry, so that they go on with the request's story.
        var traceHeaders: [String: String] = [:]
    }

    /// What became of the fixes.
    struct Outcome: Hashable, Sendable {
        var accepted = 0
        var ignored: Drops = [:]
    }

    /// - Throws: when nothing was taken.
    func callAsFunction(_ fixes: [Fix], of courier: CourierID) async throws -> Outcome {
        try await callAsFunction([Heard(courier: courier, fixes: fixes)])[0]
    }

    /// Takes what several phones said, in the order given; all of it or nothing.
    ///
    /// - Returns: what became of each.
    /// - Throws: when nothing was taken.
    func callAsFunction(_ heard: [Heard]) async throws -> [Outcome] {
        guard heard.contains(where: { !$0.fixes.isEmpty || $0.notesHearing }) else {
            return heard.map { _ in Outcome() }
        }
        let now = clock.now
        try await days.make(around: now)
        let couriers = Array(Set(heard.map(\.courier))).sorted()
        do {
            let (round, outcomes) = try await pool.withTransaction(retriesMax: 3) { transaction in
                var round = FixRound(at: now, watcher: watcher, announcement: announcement)
                try await round.load(
                    couriers, from: memory, withDuty: heard.contains(where: \.isOnDutyOnly), in: transaction)
                for one in heard { round.take(one) }
                try round.look()
                return (round, try await round.save(in: transaction))
            }
            memory.remember(round.couriers.mapValues(\.remembered))
            memory.forget(round.couriers.filter { !$0.value.isCertain }.keys)
            if round.hasSpoken { wake() }
            return outcomes
        } catch {
            // Nobody knows how far it came.
            memory.forget(couriers)
            throw error
        }
    }
}

import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import Outbox
import PostgresClient

/// Takes a courier's fixes in: history, latest position, estimates, milestones and intents, in one transaction.
struct TakeFixes: Sendable {
    /// Seconds after which a newest fix is a replayed backlog: kept, but nothing is published from it.
    static let backlogSeconds = 120.0

    let pool: PostgresPool
    let clock: DomainClock
    let days: FixDays
    let watcher: Watcher
    let announcement: Announcement
    let wake: @Sendable () -> Void

    /// What became of the fixes.
    struct Outcome: Hashable, Sendable {
        var accepted = 0
        var ignored: [FixFault: Int] = [:]
    }

    /// - Throws: when nothing was taken.
    func callAsFunction(_ fixes: [Fix], of courier: CourierID) async throws -> Outcome {
        guard !fixes.isEmpty else { return Outcome() }
        let now = clock.now
        try await days.make(around: now)
        let (outcome, hasSpoken) = try await pool.withTransaction(retriesMax: 3) { transaction in
            try await take(fixes, of: courier, at: now, in: transaction)
        }
        if hasSpoken { wake() }
        return outcome
    }

    private func take(
        _ fixes: [Fix], of courier: CourierID, at now: Date, in transaction: PostgresTransaction
    ) async throws -> (Outcome, hasSpoken: Bool) {
        var track = try await CourierETARepository.lockedTrack(of: courier, in: transaction)
        let former = track
        var outcome = Outcome()
        var kept: [Fix] = []
        for fix in fixes {
            do throws(FixFault) {
                try track.insert(fix, receivedAt: now)
                kept.append(fix)
            } catch {
                outcome.ignored[error, default: 0] += 1
                if error == .tooFast { kept.append(fix) }
            }
        }
        let new = try await CourierETARepository.insert(kept, of: courier, receivedAt: now, in: transaction)
        outcome.accepted = kept.count - outcome.ignored[.tooFast, default: 0]
        // The record goes further back than the track: what it has already is a repeat as well.
        let repeats = min(kept.count - new, outcome.accepted)
        if repeats > 0 {
            outcome.accepted -= repeats
            outcome.ignored[.duplicate, default: 0] += repeats
        }
        guard track != former else { return (outcome, false) }
        try await transaction.execute(CourierETARepository.update(track, of: courier))
        guard let latest = track.latest, latest.time > former.latest?.time ?? .distantPast,
            now.timeIntervalSince(latest.time) <= Self.backlogSeconds
        else { return (outcome, false) }
        return (outcome, try await look(at: courier, track, now: now, in: transaction))
    }

    /// Looks at everything the courier is under way with, and says what is news.
    ///
    /// - Returns: whether anything was.
    private func look(
        at courier: CourierID, _ track: CourierTrack, now: Date, in transaction: PostgresTransaction
    ) async throws -> Bool {
        var deliveries = try await CourierETARepository.lockedLive(of: courier, in: transaction)
        let carried = deliveries.map(\.delivery)
        var statements: [SQL] = []
        var hasSpoken = false
        for index in deliveries.indices {
            let observation = watcher.observe(&deliveries[index], track: track, carried: carried, now: now)
            if !observation.isQuiet {
                deliveries[index].nextWord()
                hasSpoken = true
                statements += try announcement.messages(for: deliveries[index], signs: observation.signs, at: now)
                    .map(\.insertion)
            }
            if observation.signs.contains(.heard), let due = watcher.silentAt(deliveries[index], track: track, now: now)
            {
                statements.append(NoticeSilence.timer(for: deliveries[index].delivery.id, dueAt: due).scheduling)
            }
            statements.append(CourierETARepository.updateWatch(deliveries[index]))
        }
        if !statements.isEmpty { try await transaction.batch(statements) }
        return hasSpoken
    }
}

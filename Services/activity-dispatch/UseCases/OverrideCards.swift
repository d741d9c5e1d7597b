import BackgroundWork
import DomainTime
import Foundation
import LiveActivity
import Messages
import PostgresClient

/// An operator's manual override of an activity's cards, recorded with actor and reason.
struct OverrideCards: Sendable {
    enum Verb: String, Sendable {
        /// Send the wanted state again, whatever was sent before.
        case resend
        /// Removes the card from the screen permanently.
        case endCard = "end-card"
    }

    let pool: PostgresPool
    let clock: DomainClock
    let wakeSignals: WakeSignalGroup

    /// - Parameter device: the only device it applies to; all when nil.
    /// - Returns: how many cards it changed.
    func callAsFunction(
        _ verb: Verb, _ activity: ActivityID, device: DeviceID? = nil, by subject: String, reason: String
    ) async throws -> Int {
        let now = clock.now
        let count = try await pool.withTransaction(retriesMax: 3) { transaction in
            var devices = try await ActivityRepository.lockDevices(showing: activity, in: transaction)
            if let device { devices.removeAll { $0 != device } }
            var changedCards: [StoredCard] = []
            for stored in try await ActivityRepository.cards(of: activity, on: transaction)
            where devices.contains(stored.card.device) {
                guard let changed = Self.apply(verb, to: stored.card) else { continue }
                var stored = stored
                stored.card = changed
                changedCards.append(stored)
            }
            var statements = ActivityRepository.save(changedCards)
            statements.append(
                ActivityRepository.insertOverride(
                    verb.rawValue, of: activity, device: device, by: subject, reason: reason, at: now))
            statements.append(ActivityRepository.makeDue(devices, at: now))
            try await transaction.batch(statements)
            return changedCards.count
        }
        wakeSignals.wake()
        return count
    }

    /// - Returns: nil where the verb has nothing to do to the card.
    static func apply(_ verb: Verb, to card: Card) -> Card? {
        var card = card
        switch (verb, card.state) {
        case (.resend, .active):
            // A state that was repeated before counts as lost otherwise, and goes out at priority 5.
            (card.sent, card.refreshed) = (nil, nil)
            card.rejected = nil
            card.failures.retryAt = nil
        case (.endCard, .waiting), (.endCard, .starting), (.endCard, .active): card.mustEnd = true
        // The system has ended it, so that another would start.
        case (.endCard, .ended) where !(card.sent?.isEnd ?? false): card.mustEnd = true
        case (.resend, _), (.endCard, _): return nil
        }
        return card
    }
}

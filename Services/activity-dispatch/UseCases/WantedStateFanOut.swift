import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Fans a changed wanted state out, in the transaction that wrote it: to the summary, missing cards and due devices.
///
/// The caller holds the customers' locks.
struct WantedStateFanOut: Sendable {
    let transports: Transports
    let newID: @Sendable () -> UUID

    /// The timer at which a customer's next delivery begins to count in their summary.
    static let summaryTimer = "summary"

    /// Updates the customers' summaries, and locks the devices that the changes concern.
    ///
    /// - Parameter withOpenCards: for a caller that reconciles the devices.
    /// - Returns: the devices, each with its missing cards.
    func devices(
        showing changes: [ActivityRepository.WantedChange], withOpenCards: Bool, at now: Date,
        in transaction: PostgresTransaction
    ) async throws -> [ReconcileDevices.LockedDevice] {
        var changes = changes
        for index in changes.indices { try await updateSummary(in: &changes[index], at: now, in: transaction) }
        let changed = changes.flatMap(\.changed)
        guard !changed.isEmpty else { return [] }
        let locked = try await ActivityRepository.lockDevices(
            of: changes.map(\.customer), showing: changed,
            withOpenCardsOf: withOpenCards ? changes.flatMap(\.live) : nil, in: transaction)
        let new = Dictionary(uniqueKeysWithValues: changes.map { ($0.customer, $0.liveChanged) })
        let cards = Dictionary(grouping: locked.cards.map(\.card), by: \.device)
        return locked.devices.map { stored in
            let device = stored.device
            let missing = missingCards(of: new[device.customer] ?? [], on: device, cards: cards[device.id] ?? [])
            return ReconcileDevices.LockedDevice(
                stored: stored, openCards: locked.openCards[device.id] ?? [],
                missing: missing.map { ActivityCard(activity: $0.activity, card: card($0, on: device, now)) })
        }
    }

    /// Updates the customers' summaries, makes the cards that are missing, and makes the devices due.
    ///
    /// - Returns: the last statements, for the caller to run.
    func callAsFunction(
        _ changes: [ActivityRepository.WantedChange], at now: Date, in transaction: PostgresTransaction
    ) async throws -> [SQL] {
        let devices = try await devices(showing: changes, withOpenCards: false, at: now, in: transaction)
        guard !devices.isEmpty else { return [] }
        return ActivityRepository.save(devices.flatMap(\.missing).map { StoredCard($0.card) })
            + [ActivityRepository.makeDue(devices.map(\.stored.device.id), at: now)]
    }

    /// A new card for a device without one.
    func card(_ missing: MissingCard, on device: Device, _ now: Date) -> Card {
        let limits = transports.of(device)?.limits ?? .apns
        return Card(
            id: newID(), activity: missing.activity.id, device: device.id, replaces: missing.replaces,
            urgentPushes: TokenBucket(limits.urgentPushes, at: now))
    }

    /// Rewrites the customer's summary where their deliveries add up to another one, and adds it to the change.
    private func updateSummary(
        in change: inout ActivityRepository.WantedChange, at now: Date, in transaction: PostgresTransaction
    ) async throws {
        let customer = change.customer
        let shown = change.live.compactMap { activity -> ShownActivity? in
            guard !activity.isSummary, case .show(let shown) = activity.wanted else { return nil }
            return shown
        }
        var summary = Summary(
            customer: customer, episode: change.episode, activity: change.live.first(where: \.isSummary))
        let isChanged = summary.update(from: shown, now: now)
        if let next = Summary.nextStart(shown, now: now), shown.count >= Summary.startsAt {
            try await transaction.schedule(
                DurableTimer(kind: Self.summaryTimer, key: customer.rawValue, dueAt: next))
        }
        guard isChanged, let activity = summary.activity else { return }
        // One that only goes stale later is not written while the stored one is good for long: cards show what is stored.
        guard try await transaction.execute(ActivityRepository.upsert([activity], at: now)) > 0 else { return }
        try await transaction.execute(ActivityRepository.setSummaryEpisode(summary.episode, of: customer))
        change.add(activity)
    }
}

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

    /// Updates the customers' summaries, makes the cards that are missing, and makes the devices due.
    ///
    /// - Returns: the last statements, for the caller to run.
    func callAsFunction(
        _ changes: [ActivityRepository.WantedChange], at now: Date, in transaction: PostgresTransaction
    ) async throws -> [SQL] {
        var changed: [ActivityID] = []
        var new: [CustomerID: [Activity]] = [:]
        for change in changes {
            var live = change.live
            var ids = change.changed
            if let summary = try await updateSummary(
                of: change.customer, live, episode: change.episode, at: now, in: transaction)
            {
                ids.append(summary.id)
                live.removeAll { $0.id == summary.id }
                live.append(summary)
            }
            new[change.customer] = live.filter { ids.contains($0.id) }
            changed += ids
        }
        guard !changed.isEmpty else { return [] }
        let (devices, cards) = try await ActivityRepository.lockDevices(
            of: changes.map(\.customer), showing: changed, in: transaction)
        guard !devices.isEmpty else { return [] }
        let cardsByDevice = Dictionary(grouping: cards.map(\.card), by: \.device)
        var statements: [SQL] = []
        for device in devices {
            let missing = missingCards(
                of: new[device.customer] ?? [], on: device, cards: cardsByDevice[device.id] ?? [])
            statements += missing.map { card($0, on: device, now) }
        }
        statements.append(ActivityRepository.makeDue(devices.map(\.id), at: now))
        return statements
    }

    /// Inserts a card that a device lacks.
    func card(_ missing: MissingCard, on device: Device, _ now: Date) -> SQL {
        let limits = transports.of(device)?.limits ?? .apns
        return ActivityRepository.save(
            StoredCard(
                Card(
                    id: newID(), activity: missing.activity.id, device: device.id, replaces: missing.replaces,
                    urgentPushes: TokenBucket(limits.urgentPushes, at: now))))
    }

    /// - Returns: the summary, where its wanted state changed.
    private func updateSummary(
        of customer: CustomerID, _ live: [Activity], episode: Int, at now: Date, in transaction: PostgresTransaction
    ) async throws -> Activity? {
        let shown = live.compactMap { activity -> ShownActivity? in
            guard !activity.isSummary, case .show(let shown) = activity.wanted else { return nil }
            return shown
        }
        var summary = Summary(customer: customer, episode: episode, activity: live.first(where: \.isSummary))
        let isChanged = summary.update(from: shown, now: now)
        if let next = Summary.nextStart(shown, now: now), shown.count >= Summary.startsAt {
            try await transaction.schedule(
                DurableTimer(kind: Self.summaryTimer, key: customer.rawValue, dueAt: next))
        }
        guard isChanged, let activity = summary.activity else { return nil }
        try await transaction.execute(ActivityRepository.upsert(activity, at: now))
        try await transaction.execute(ActivityRepository.setSummaryEpisode(summary.episode, of: customer))
        return activity
    }
}

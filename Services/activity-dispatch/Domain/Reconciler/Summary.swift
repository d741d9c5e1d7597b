import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// The one activity that this service writes by itself: a summary above a customer's several deliveries.
struct Summary: Hashable, Sendable {
    let customer: CustomerID
    /// Counts the customer's summaries; 0 before the first.
    private(set) var episode = 0
    /// Nil before the first.
    private(set) var activity: Activity?

    /// Live deliveries from which there is one.
    static let startsAt = 3
    /// Live deliveries below which there is none.
    static let endsBelow = 2

    /// Makes the summary of the customer's present deliveries the wanted state.
    ///
    /// Only deliveries whose card may be on the screen count: next week's deliveries do not count yet.
    /// - Returns: whether anything changed.
    mutating func update(from deliveries: [ShownActivity], now: Date) -> Bool {
        let live = deliveries.filter { $0.startAt <= now.epochSeconds }
        guard let activity, !activity.isEnded else { return live.count >= Self.startsAt ? start(live) : false }
        let version = activity.wanted.content.revision.version + 1
        let next: ActivityStep?
        if live.count < Self.endsBelow {
            next = .endedSummary(
                activity.wanted.attributes, live: live.count, version: version, endedAt: now.epochSeconds)
        } else {
            next = step(of: live, activity.id, version)
        }
        guard let next else { return false }
        if let prolonged = next.prolonging(activity.wanted) { return self.activity?.advance(to: prolonged) ?? false }
        guard !next.showsSame(as: activity.wanted) else { return false }
        return self.activity?.advance(to: next) ?? false
    }

    /// When the next delivery begins to count; nil when none is to come.
    static func nextStart(_ deliveries: [ShownActivity], now: Date) -> Date? {
        deliveries.map(\.startAt).filter { $0 > now.epochSeconds }.min().map {
            Date(timeIntervalSince1970: TimeInterval($0))
        }
    }

    private mutating func start(_ live: [ShownActivity]) -> Bool {
        let id = ActivityID(summaryOf: customer, episode: episode + 1)
        guard let step = step(of: live, id, 1) else { return false }
        episode += 1
        activity = Activity(id: id, customer: customer, delivery: nil, wanted: step)
        return true
    }

    private func step(of live: [ShownActivity], _ id: ActivityID, _ version: Int) -> ActivityStep? {
        .summary(of: live.map(SummarizedDelivery.init), activity: id.rawValue, version: version)
    }
}

extension ActivityStep {
    /// Whether a customer sees no difference between this and `other`: only the revision differs.
    fileprivate func showsSame(as other: ActivityStep) -> Bool {
        guard case .show(let new) = self, case .show(let old) = other else { return false }
        var content = new.content
        content.revision = old.content.revision
        return content == old.content && new.attributes == old.attributes && new.staleAt == old.staleAt
    }

    /// The state of `other` with this later stale date; nil where a customer sees another difference.
    fileprivate func prolonging(_ other: ActivityStep) -> ActivityStep? {
        guard case .show(let new) = self, case .show(let old) = other, new.staleAt > old.staleAt else { return nil }
        let prolonged = ActivityStep.show(
            ShownActivity(
                attributes: old.attributes, content: old.content, startAt: old.startAt, staleAt: new.staleAt,
                relevance: old.relevance, alert: old.alert))
        return showsSame(as: prolonged) ? prolonged : nil
    }
}

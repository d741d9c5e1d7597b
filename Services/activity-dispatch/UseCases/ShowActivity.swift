import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// What an activity should show, and what each of its cards was sent, answered, shows, and why not.
struct ShowActivity: Sendable {
    let pool: PostgresPool

    static let timelineEntriesMax = 500

    /// - Parameters:
    ///   - withLinks: whether buttons are shown, whose links are the customer's alone.
    ///   - withContent: whether the pushes of the timeline come with what each rendered.
    func callAsFunction(
        _ stored: ActivityRepository.StoredActivity, withLinks: Bool, withTimeline: Bool, withContent: Bool = false
    ) async throws -> ActivityBody {
        let activity = stored.activity
        let cards = try await ActivityRepository.cardBodies(of: activity.id, on: pool)
        let timeline =
            withTimeline
            ? try await ActivityRepository.timeline(
                of: activity.id, entriesMax: Self.timelineEntriesMax, withContent: withContent, on: pool)
            : nil
        return ActivityBody(
            id: activity.id.rawValue, customer: activity.customer.rawValue, delivery: activity.delivery?.rawValue,
            wanted: withLinks ? activity.wanted : activity.wanted.keepingButtons { _ in false }.step,
            wantedAt: stored.wantedAt, cards: cards, timeline: timeline)
    }
}

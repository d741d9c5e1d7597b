import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient

/// An activity's wanted state, and each card's pushes, results, screen, and reason for a difference.
struct ShowActivity: Sendable {
    let pool: PostgresPool

    static let timelineEntriesMax = 500

    /// The activities of a delivery that the caller may see.
    func activities(
        of delivery: DeliveryID, to principal: Principal
    ) async throws -> [ActivityRepository.StoredActivity] {
        try await ActivityRepository.activities(of: delivery, on: pool).filter { principal.sees($0.activity.owner) }
    }

    /// Whether there is such an activity that the caller may see.
    func isVisible(_ id: ActivityID, to principal: Principal) async throws -> Bool {
        try await activity(id, to: principal) != nil
    }

    private func activity(
        _ id: ActivityID, to principal: Principal
    ) async throws -> ActivityRepository.StoredActivity? {
        guard let stored = try await ActivityRepository.activity(id, on: pool), principal.sees(stored.activity.owner)
        else { return nil }
        return stored
    }

    /// The activity as an operator or its customer is shown it; nil where there is none that they may see.
    func callAsFunction(_ id: ActivityID, to principal: Principal) async throws -> ActivityBody? {
        guard let stored = try await activity(id, to: principal) else { return nil }
        let isOperator = if case .operator = principal.subject { true } else { false }
        return try await self(stored, isForOperator: isOperator)
    }

    /// Activities as an operator is shown them.
    func bodies(
        of activities: [ActivityRepository.StoredActivity], withContent: Bool
    ) async throws -> [ActivityBody] {
        var bodies: [ActivityBody] = []
        for stored in activities {
            bodies.append(try await self(stored, isForOperator: true, withContent: withContent))
        }
        return bodies
    }

    /// - Parameters:
    ///   - isForOperator: whether to include the timeline, and no buttons: their links belong to the customer alone.
    ///   - withContent: whether the pushes of the timeline include their rendered payloads.
    func callAsFunction(
        _ stored: ActivityRepository.StoredActivity, isForOperator: Bool, withContent: Bool = false
    ) async throws -> ActivityBody {
        let activity = stored.activity
        let cards = try await ActivityRepository.cardBodies(of: activity.id, on: pool)
        let timeline =
            isForOperator
            ? try await ActivityRepository.timeline(
                of: activity.id, entriesMax: Self.timelineEntriesMax, withContent: withContent, on: pool)
            : nil
        return ActivityBody(
            id: activity.id.rawValue, customer: activity.customer.rawValue, delivery: activity.delivery?.rawValue,
            wanted: (isForOperator ? activity.wanted.keepingButtons { _ in false }.step : activity.wanted).withoutPIN,
            wantedAt: stored.wantedAt, cards: cards, timeline: timeline)
    }
}

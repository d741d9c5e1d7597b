import DoorstepAPI
import Foundation
import OrderDomain

/// What one service says about a delivery, or why it says nothing.
enum Told<Body: Sendable>: Sendable {
    case said(Body)
    /// It answered that it has nothing: not yet, or not any more.
    case nothing
    /// It did not answer.
    case silent(String)

    var body: Body? {
        switch self {
        case .said(let body): body
        case .nothing, .silent: nil
        }
    }

    /// Asks, and takes an absence for an answer.
    ///
    /// - Throws: only what is about the one who asks, such as a token that is not good.
    static func asking(_ ask: () async throws -> Body) async throws -> Told<Body> {
        do {
            return .said(try await ask())
        } catch let failure as CommandFailure {
            switch failure.kind {
            case .notFound: return .nothing
            case .unavailable: return .silent(failure.message)
            case .usage, .notAllowed, .conflict, .interrupted: throw failure
            }
        }
    }
}

/// All that the three services know of one delivery.
struct DeliveryStory: Sendable {
    struct Orders: Sendable {
        let delivery: DeliveryBody
        let entries: [TimelineBody.Entry]
    }

    let orders: Told<Orders>
    let estimate: Told<EstimateBody>
    let activities: Told<[ActivityBody]>

    /// Asks all three at once, as an operator.
    ///
    /// - Throws: `CommandFailure` when `orders` knows no such delivery, or nobody answers.
    static func read(_ delivery: String) async throws -> DeliveryStory {
        let orders = try PeerClient(.orders, as: .operator)
        let courierETA = try PeerClient(.courierETA, as: .operator)
        let dispatch = try PeerClient(.activityDispatch, as: .operator)
        async let known = Told.asking {
            let body: DeliveryBody = try await orders.get("/v1/deliveries/\(delivery)")
            let timeline: TimelineBody = try await orders.get("/v1/deliveries/\(delivery)/timeline")
            return Orders(delivery: body, entries: timeline.entries)
        }
        async let estimate = Told.asking {
            try await courierETA.get("/v1/estimates/\(delivery)", as: EstimateBody.self)
        }
        async let activities = Told.asking { try await dispatch.activities(of: delivery) }
        let story = DeliveryStory(
            orders: try await known, estimate: try await estimate, activities: try await activities)
        if case .nothing = story.orders { throw CommandFailure(.notFound, "no delivery \(delivery)") }
        if case .silent(let why) = story.orders, case .silent = story.estimate, case .silent = story.activities {
            throw CommandFailure(.unavailable, "no service answers; \(why)")
        }
        return story
    }
}

extension PeerClient {
    /// The activities of a delivery with what was pushed, newest episode first; for `activity-dispatch`.
    func activities(of delivery: String) async throws -> [ActivityBody] {
        try await get(
            "/v1/activities", query: [("delivery", delivery)], as: ActivitiesBody.self
        ).activities
    }
}

import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain
import StackClient

extension MergedTimeline {
    /// Reads all three at once, as an operator.
    ///
    /// - Throws: `CommandFailure` when `orders` knows no such delivery, or no service answers.
    static func read(_ delivery: String) async throws -> MergedTimeline {
        let orders = try PeerClient(.orders, as: .operator)
        let courierETA = try PeerClient(.courierETA, as: .operator)
        let dispatch = try PeerClient(.activityDispatch, as: .operator)
        async let known = PeerAnswer.request {
            let body: DeliveryBody = try await orders.get("/v1/deliveries/\(delivery)")
            let entries: TimelineBody = try await orders.get("/v1/deliveries/\(delivery)/timeline")
            return Orders(
                delivery: body, entries: entries.entries,
                courierHasOthers: try await hasOthers(body, in: orders))
        }
        async let estimate = PeerAnswer.request {
            try await courierETA.get("/v1/estimates/\(delivery)", as: EstimateBody.self)
        }
        async let cards = PeerAnswer.request { try await dispatch.activitiesAndPhones(of: delivery) }
        let (activities, phones) = (try await cards.map(\.activities), try await cards.body?.phones ?? [])
        let timeline = MergedTimeline(
            orders: try await known, estimate: try await estimate, activities: activities, phones: phones)
        if case .notFound = timeline.orders { throw CommandFailure(.notFound, "no delivery \(delivery)") }
        if case .unavailable(let reason) = timeline.orders, case .unavailable = timeline.estimate,
            case .unavailable = timeline.activities
        {
            throw CommandFailure(.unavailable, "no service answers; \(reason)")
        }
        return timeline
    }
}

extension MergedTimeline {
    /// Whether the courier of a live delivery has other live ones, besides those handed over by word.
    private static func hasOthers(_ delivery: DeliveryBody, in orders: PeerClient) async throws -> Bool {
        guard let courier = delivery.courier, delivery.endedAt == nil else { return false }
        let query = BoardQuery(courier: courier.id.rawValue, limit: BoardQuery.pageMax)
        let board: BoardBody = try await orders.get("/v1/deliveries", query: query.items)
        return board.deliveries.contains { $0.id != delivery.id && $0.endedAt == nil && $0.handedOverAt == nil }
    }
}

extension PeerClient {
    /// The activities of a delivery with their pushes, newest episode first; for `activity-dispatch`.
    ///
    /// - Parameter rendered: whether each push includes its rendered payload.
    func activities(of delivery: String, rendered: Bool = false) async throws -> [ActivityBody] {
        try await activitiesAndPhones(of: delivery, rendered: rendered).activities
    }

    /// The activities with the customer's devices.
    fileprivate func activitiesAndPhones(of delivery: String, rendered: Bool = false) async throws -> ActivitiesBody {
        try await get(
            "/v1/activities", query: [("delivery", delivery)] + (rendered ? [("rendered", "true")] : []),
            as: ActivitiesBody.self)
    }
}

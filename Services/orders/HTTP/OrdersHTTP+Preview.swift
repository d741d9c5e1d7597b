import DoorstepAPI
import Hummingbird
import LiveActivity
import OrderDomain
import ServiceRuntime

/// The response to a preview of a change.
extension OrdersHTTP {
    func preview(
        _ outcome: ChangeDelivery.Outcome, from former: ActivityStep, to next: ActivityStep, for principal: Principal
    ) throws -> Response {
        let record = outcome.record
        return try jsonResponse(
            PreviewBody(
                changes: outcome.hasChanged, delivery: body(of: record, for: principal), activity: next,
                alert: next.alert?.id == former.alert?.id ? nil : next.alert,
                cards: record.cardHealth.map { .init(count: $0.count, behind: $0.behind, reason: $0.reason) }),
            headers: [.eTag: entityTag(version: record.delivery.version)])
    }
}

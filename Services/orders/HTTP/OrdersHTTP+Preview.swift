import DomainTime
import DoorstepAPI
import Hummingbird
import LiveActivity
import OrderDomain
import ServiceRuntime

/// What a change would do, as an answer.
extension OrdersHTTP {
    func preview(
        _ outcome: ChangeDelivery.Outcome, of before: DeliveryRecord, for principal: Principal
    ) throws -> Response {
        let record = outcome.record
        let now = change.clock.now
        let former = change.messages.stepWithoutLinks(for: before, at: now)
        let next = change.messages.stepWithoutLinks(for: record, at: now)
        return try jsonResponse(
            PreviewBody(
                changes: outcome.hasChanged, delivery: body(of: record, for: principal), activity: next,
                alert: next.alert?.id == former.alert?.id ? nil : next.alert,
                cards: record.cardHealth.map { .init(count: $0.count, behind: $0.behind, reason: $0.reason) }),
            headers: [.eTag: entityTag(version: record.delivery.version)])
    }
}

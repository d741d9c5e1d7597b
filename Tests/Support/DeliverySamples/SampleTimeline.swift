package import DeliveryDiagnosis
package import DoorstepAPI
internal import Foundation
package import LiveActivity
internal import Messages
package import OrderDomain
internal import WireCoding

/// One delivery in the answers of the three services.
package enum SampleTimeline {
    package static func orders(_ delivery: DeliveryBody) -> MergedTimeline.Orders {
        .init(
            delivery: delivery,
            entries: [
                .init(at: at(0), version: 1, kind: "placed", what: "placed", by: "store nordhavn", reason: nil),
                .init(at: at(4), version: 4, kind: "courier", what: "nobody → Mira", by: "operator ada", reason: nil),
                .init(
                    at: at(12), version: 6, kind: "status", what: "picked_up → en_route", by: "courier mira",
                    reason: "left the store"),
            ])
    }

    package static func estimate(arriving minutes: Double) -> EstimateBody {
        let estimate = Estimate(
            arrivesAt: at(minutes), earliest: at(minutes - 3), latest: at(minutes + 5), madeAt: at(13))
        return EstimateBody(
            delivery: SampleDeliveries.delivery().id, version: 6, step: 2, estimate: estimate, published: estimate,
            lastFixAt: at(13.5),
            milestones: [.init(milestone: .leftStore, at: at(11.5))])
    }

    package static func activity(isBehind: Bool, _ changes: [DeliveryChange] = SampleDeliveries.toEnRoute)
        -> ActivityBody
    {
        let body = SampleDeliveries.delivery(changes)
        let wanted = ActivityStep.after(snapshot(changes), arrival: nil, step: 2)
        let revision = Revision(version: body.version, step: isBehind ? 1 : 2)
        let card = CardBody(
            card: "c1", device: "iphone-1", transport: "apns", state: "active", sent: revision,
            timestamp: at(13).epochSeconds, answered: "taken", assumedShown: revision,
            confirmed: nil, isConnected: nil, lastConnectedAt: nil, startedAt: at(2), dismissedAt: nil,
            isBehind: isBehind, why: isBehind ? "budget" : nil)
        return ActivityBody(
            id: body.activity.rawValue, customer: "mette", delivery: body.id.rawValue, wanted: wanted, wantedAt: at(13),
            cards: [card],
            timeline: [
                .init(
                    at: at(12.1), kind: "push", device: "iphone-1", card: "c1", what: "update", priority: 10,
                    timestamp: at(12.1).epochSeconds, revision: Revision(version: 6, step: 0),
                    alert: "\(body.activity)/on-the-way", result: "taken"),
                .init(
                    at: at(12.5), kind: "override", device: nil, card: nil, what: "resend", by: "ada",
                    reason: "customer asked"),
            ])
    }

    /// The activity with a timeline of these pushes.
    package static func activity(pushes: [ActivityTimelineEntryBody]) -> ActivityBody {
        let sample = activity(isBehind: false)
        return ActivityBody(
            id: sample.id, customer: sample.customer, delivery: sample.delivery, wanted: sample.wanted,
            wantedAt: sample.wantedAt, cards: sample.cards, timeline: pushes)
    }

    /// A card's content after changes.
    package static func shown(_ changes: [DeliveryChange], step: Int, minute: Double) throws -> ShownActivity {
        let now = Int(at(minute).timeIntervalSince1970)
        guard case .show(let shown) = ActivityStep.after(snapshot(changes), arrival: nil, step: step, now: now) else {
            throw NotShown()
        }
        return shown
    }

    private struct NotShown: Error {}

    private static func at(_ minutes: Double) -> Date { SampleDeliveries.at(minutes) }

    private static func snapshot(_ changes: [DeliveryChange]) -> DeliverySnapshot {
        DeliverySnapshot(SampleDeliveries.whole(changes), links: [])
    }
}

extension ActivityTimelineEntryBody {
    /// The push of a payload to the sample's phone.
    package static func push(_ payload: PushPayload, minute: Double, result: String? = "taken") -> Self {
        Self(
            at: SampleDeliveries.at(minute), kind: "push", device: "iphone-1", card: "c1",
            what: payload.aps.event.rawValue, priority: 10, timestamp: payload.aps.timestamp,
            revision: payload.aps.contentState.revision, result: result, rendered: payload)
    }
}

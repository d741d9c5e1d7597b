import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing

@testable import Doorstep

@Suite("What a phone showed at a time")
struct ShownAtTests {
    private let zone = TimeZone(identifier: "Europe/Copenhagen") ?? .gmt

    private func push(_ payload: PushPayload, minute: Double, result: String? = "taken") -> ActivityTimelineEntryBody {
        ActivityTimelineEntryBody(
            at: SampleDeliveries.at(minute), kind: "push", device: "iphone-1", card: "c1",
            what: payload.aps.event.rawValue, priority: 10, timestamp: payload.aps.timestamp,
            revision: payload.aps.contentState.revision, result: result, rendered: payload)
    }

    private func shown(_ changes: [DeliveryChange], step: Int, minute: Double) throws -> ShownActivity {
        let snapshot = DeliverySnapshot(SampleDeliveries.whole(changes), links: [])
        let now = Int(SampleDeliveries.at(minute).timeIntervalSince1970)
        guard case .show(let shown) = ActivityStep.after(snapshot, arrival: nil, step: step, now: now) else {
            throw NotShown()
        }
        return shown
    }

    private struct NotShown: Error {}

    private func lines(_ pushes: [ActivityTimelineEntryBody], minute: Double) -> String {
        let sample = SampleTimeline.activity(isBehind: false)
        let activity = ActivityBody(
            id: sample.id, customer: sample.customer, delivery: sample.delivery, wanted: sample.wanted,
            wantedAt: sample.wantedAt, cards: sample.cards, timeline: pushes)
        return ShownAt(
            [activity], at: SampleDeliveries.at(minute), words: Words(locale: "en"), timeZone: zone,
            now: SampleDeliveries.at(minute)
        ).lines.joined(separator: "\n")
    }

    @Test("It is drawn from the newest push before that time, and not from a later one or one that was refused")
    func drawn() throws {
        let seconds = { (minute: Double) in Int(SampleDeliveries.at(minute).timeIntervalSince1970) }
        let first = try shown([], step: 0, minute: 1)
        let second = try shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        var start = PushPayload.start(first, timestamp: seconds(1), alert: nil)
        start.aps.alert = nil
        let update = PushPayload.update(second, timestamp: seconds(12), alert: nil)
        let pushes = [push(start, minute: 1), push(update, minute: 12)]
        let early = lines(pushes, minute: 11)
        let late = lines(pushes, minute: 13)
        let words = Words(locale: "en")
        #expect(early.contains(words.headline(first.content, first.attributes, now: seconds(12))))
        #expect(
            late.contains(words.headline(second.content, second.attributes, now: seconds(12)))
                && late.contains("iphone-1 at "))
        let refused = [push(start, minute: 1), push(update, minute: 12, result: "refused")]
        #expect(lines(refused, minute: 13).contains(words.headline(first.content, first.attributes, now: seconds(12))))
        #expect(lines(pushes, minute: 0).contains("nothing had been sent"))
    }
}

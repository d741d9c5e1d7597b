import CommandLineTestSupport
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
            [activity], at: SampleDeliveries.at(minute), words: Words(locale: "en"), timeZone: zone
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
        #expect(early.contains(words.headline(first.content, first.attributes)))
        #expect(late.contains(words.headline(second.content, second.attributes)) && late.contains("iphone-1 at "))
        let refused = [push(start, minute: 1), push(update, minute: 12, result: "refused")]
        #expect(lines(refused, minute: 13).contains(words.headline(first.content, first.attributes)))
        #expect(lines(pushes, minute: 0).contains("nothing had been sent"))
    }

    private func seconds(_ minute: Double) -> Int { Int(SampleDeliveries.at(minute).timeIntervalSince1970) }

    private func start(_ shown: ShownActivity, minute: Double) -> PushPayload {
        var start = PushPayload.start(shown, timestamp: seconds(minute), alert: nil)
        start.aps.alert = nil
        return start
    }

    @Test(
        "Only what may have left is drawn: taken, of unknown outcome or without one",
        arguments: [
            ("taken", true), ("unknown", true), (nil, true), ("not_sent", false), ("halted", false), ("gone", false),
            ("refused", false), ("tomorrow's", false),
        ] as [(String?, Bool)])
    func mayHaveLeft(result: String?, isDrawn: Bool) throws {
        let first = try shown([], step: 0, minute: 1)
        let second = try shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        let update = PushPayload.update(second, timestamp: seconds(12), alert: nil)
        let drawn = lines(
            [push(start(first, minute: 1), minute: 1), push(update, minute: 12, result: result)], minute: 13)
        let expected = isDrawn ? second : first
        #expect(drawn.contains(Words(locale: "en").headline(expected.content, expected.attributes)))
        #expect(!drawn.contains("no card"))
    }

    @Test(
        "Of several starts of one card the last is drawn: those before it did not leave", arguments: ["not_sent", nil])
    func startedAgain(result: String?) throws {
        let first = try shown([], step: 0, minute: 1)
        let second = try shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        let pushes = [
            push(start(first, minute: 1), minute: 1, result: result), push(start(second, minute: 12), minute: 12),
        ]
        let words = Words(locale: "en")
        #expect(lines(pushes, minute: 13).contains(words.headline(second.content, second.attributes)))
        #expect(lines(pushes, minute: 11).contains("nothing had been sent"))
    }

    @Test("A card that its app started is drawn from its first update on, and before that it is named")
    func startedByApp() throws {
        let second = try shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        let update = PushPayload.update(second, timestamp: seconds(12), alert: nil)
        let late = lines([push(update, minute: 12)], minute: 13)
        #expect(late.contains(Words(locale: "en").headline(second.content, second.attributes)))
        #expect(late.contains("accepted 60 s before") && !late.contains("no card"))
        // The sample's card is there since minute 2.
        let early = lines([push(update, minute: 12)], minute: 11)
        #expect(early.contains("what it showed before its first update is not known") && !early.contains("no card"))
        #expect(!lines([push(update, minute: 12)], minute: 1).contains("iphone-1"))
    }
}

import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import Testing

@Suite("What a phone showed at a time, by what was sent to it")
struct ScreenReplayTests {
    private func replay(_ pushes: [ActivityTimelineEntryBody], minute: Double) -> ScreenReplay {
        ScreenReplay([SampleTimeline.activity(pushes: pushes)], at: SampleDeliveries.at(minute), timeZone: .gmt)
    }

    /// What is shown of each screen and said of it.
    private func texts(_ pushes: [ActivityTimelineEntryBody], minute: Double) -> String {
        let replay = replay(pushes, minute: minute)
        let screens = replay.screens.flatMap { screen in
            let words = Words(locale: "en")
            return [screen.device]
                + screen.cards.map {
                    words.headline($0.card.content, $0.card.attributes, now: seconds(12)) + $0.caption
                } + screen.notes
        }
        return (screens + [replay.note].compactMap(\.self)).joined(separator: "\n")
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
        let first = try SampleTimeline.shown([], step: 0, minute: 1)
        let second = try SampleTimeline.shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        let update = PushPayload.update(second, timestamp: seconds(12), alert: nil)
        let drawn = texts(
            [.push(start(first, minute: 1), minute: 1), .push(update, minute: 12, result: result)], minute: 13)
        let expected = isDrawn ? second : first
        #expect(drawn.contains(Words(locale: "en").headline(expected.content, expected.attributes, now: seconds(12))))
        #expect(!drawn.contains("no card"))
    }

    @Test(
        "Of several starts of one card the last is drawn: those before it did not leave", arguments: ["not_sent", nil])
    func startedAgain(result: String?) throws {
        let first = try SampleTimeline.shown([], step: 0, minute: 1)
        let second = try SampleTimeline.shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        let pushes: [ActivityTimelineEntryBody] = [
            .push(start(first, minute: 1), minute: 1, result: result), .push(start(second, minute: 12), minute: 12),
        ]
        let words = Words(locale: "en")
        #expect(texts(pushes, minute: 13).contains(words.headline(second.content, second.attributes, now: seconds(12))))
        #expect(texts(pushes, minute: 11).contains("nothing had been sent"))
    }

    @Test("A card that its app started is drawn from its first update on, and before that it is named")
    func startedByApp() throws {
        let second = try SampleTimeline.shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        let update = PushPayload.update(second, timestamp: seconds(12), alert: nil)
        let late = texts([.push(update, minute: 12)], minute: 13)
        #expect(late.contains(Words(locale: "en").headline(second.content, second.attributes, now: seconds(12))))
        #expect(late.contains("accepted 60 s before") && !late.contains("no card"))
        // The sample's card is there since minute 2.
        let early = texts([.push(update, minute: 12)], minute: 11)
        #expect(early.contains("what it showed before its first update is not known") && !early.contains("no card"))
        #expect(!texts([.push(update, minute: 12)], minute: 1).contains("iphone-1"))
    }

    @Test("What the ledger does not keep any more is counted, and the screen is that of the newest that it has")
    func notKept() throws {
        let first = try SampleTimeline.shown([], step: 0, minute: 1)
        let unknown = ActivityTimelineEntryBody(
            at: SampleDeliveries.at(12), kind: "push", device: "iphone-1", card: "c1", what: "update", result: "taken")
        let screen = try #require(
            replay([.push(start(first, minute: 1), minute: 1), unknown], minute: 13).screens.first)
        #expect(screen.cards.map(\.card.content.revision) == [first.content.revision])
        #expect(screen.cards.first?.caption == "active, version 1, step 0, accepted 720 s before")
        #expect(screen.notes == ["1 pushes are not drawn: what they rendered is not in the ledger"])
    }
}

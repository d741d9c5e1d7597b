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

    private func lines(_ pushes: [ActivityTimelineEntryBody], minute: Double) -> String {
        ShownAt(
            [SampleTimeline.activity(pushes: pushes)], at: SampleDeliveries.at(minute), words: Words(locale: "en"),
            timeZone: zone, now: SampleDeliveries.at(minute)
        ).lines.joined(separator: "\n")
    }

    @Test("It is drawn from the newest push before that time, and not from a later one or one that was refused")
    func drawn() throws {
        let seconds = { (minute: Double) in Int(SampleDeliveries.at(minute).timeIntervalSince1970) }
        let first = try SampleTimeline.shown([], step: 0, minute: 1)
        let second = try SampleTimeline.shown(SampleDeliveries.toEnRoute, step: 1, minute: 12)
        var start = PushPayload.start(first, timestamp: seconds(1), alert: nil)
        start.aps.alert = nil
        let update = PushPayload.update(second, timestamp: seconds(12), alert: nil)
        let pushes: [ActivityTimelineEntryBody] = [.push(start, minute: 1), .push(update, minute: 12)]
        let early = lines(pushes, minute: 11)
        let late = lines(pushes, minute: 13)
        let words = Words(locale: "en")
        #expect(early.contains(words.headline(first.content, first.attributes, now: seconds(12))))
        #expect(
            late.contains(words.headline(second.content, second.attributes, now: seconds(12)))
                && late.contains("iphone-1 at "))
        let refused: [ActivityTimelineEntryBody] = [
            .push(start, minute: 1), .push(update, minute: 12, result: "refused"),
        ]
        #expect(lines(refused, minute: 13).contains(words.headline(first.content, first.attributes, now: seconds(12))))
        #expect(lines(pushes, minute: 0).contains("nothing had been sent"))
    }
}

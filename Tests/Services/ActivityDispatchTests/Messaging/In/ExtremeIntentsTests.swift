import Foundation
import LiveActivity
import Messages
import OrderDomain
import SeededRandom
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Intents with extreme values")
struct ExtremeIntentsTests {
    /// As it comes from the wire, with an alert and a window; ended or live.
    private static func intent(isEnded: Bool) throws -> Data {
        let delivery = DeliveryID(UUID())
        let id = ActivityID(delivery, episode: 1)
        let seconds = Int(noon.timeIntervalSince1970)
        let step: ActivityStep =
            isEnded
            ? .ends(3, activity: id.rawValue, at: noon, alert: "delivered")
            : .shows(
                3, 1, activity: id.rawValue, phase: .onTheWay, arrival: seconds + 900, startAt: seconds - 600,
                staleAt: seconds + 600, alert: "arriving")
        let customer = CustomerID(rawValue: "mira")!
        return try WireJSON.encode(
            Intent(activity: id, customer: customer, delivery: delivery, writer: .orders, step: step))
    }

    /// Everything that this service and a phone compute from a wanted state.
    private static func run(_ step: ActivityStep) throws {
        let device = Device.any("phone", .stream)
        let activity = Activity(step)
        let sent = ActivityStep.shows(1, arrival: Int(noon.timeIntervalSince1970))
        let cards = [
            Card.any(of: activity, on: device),
            .any(of: activity, on: device, .active, sent: sent, startedAt: noon - 60, lastPushAt: noon - 60),
        ]
        for card in cards {
            var reconciliation = DeviceReconciliation(
                device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .stream, now: noon)
            reconciliation.run(leased: [], newID: { UUID() }) { _ in .accepted() }
            for push in reconciliation.pushes {
                _ = try push.event(push.payload, delivery: nil)
                _ = try push.event(push.payloadAsStart, delivery: nil)
            }
        }
        _ = step.content.minutesText(now: Int(noon.timeIntervalSince1970))
        for words in Words.languages.map({ Words(locale: $0) }) {
            _ = step.content.spokenLabel(step.attributes, words: words, now: Int(noon.timeIntervalSince1970))
        }
        if case .show(let shown) = step {
            var summary = Summary(customer: activity.customer)
            _ = summary.update(from: [shown, shown, shown], now: noon)
            _ = Summary.nextStart([shown], now: noon)
        }
    }

    @Test("None of them traps, neither refused ones nor those that are taken", arguments: 0..<20 as Range<UInt64>)
    func never(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<100 {
            let json = try withExtremeValues(Self.intent(isEnded: round.isMultiple(of: 2)), using: &random)
            guard let intent = try? WireJSON.decode(Intent.self, from: json) else { continue }
            _ = intent.fault(on: Subject.intents(intent.writer))
            // What was stored by an earlier version is computed with too.
            try Self.run(intent.step)
        }
    }

    @Test("An end that is as late as numbers go is dismissed four hours from now at the latest")
    func lateEnd() {
        let now = Int(noon.timeIntervalSince1970)
        #expect(Dismissal.after(seconds: 900).date(endedAt: .max, now: now) == now + Dismissal.keptSecondsMax)
        #expect(Dismissal.after(seconds: .min).date(endedAt: .min, now: now) == now + Dismissal.keptSecondsMin)
    }
}

import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing
import WireCoding

@testable import DirectJSON

@Suite("What goes between the services is coded directly")
struct DirectCodingTests {
    private let encoder = DirectJSONEncoder(dateText: { WireJSON.text(of: $0) })
    private let decoder = DirectJSONDecoder(date: { WireJSON.date(from: $0) })

    private func expectDirect<Value: Codable & Equatable>(_ value: Value) throws {
        let bytes = try #require(encoder.direct(value))
        #expect(decoder.direct(Value.self, from: bytes) == value)
    }

    @Test("Deliveries, intents and the pushes of them are left to no slower coder")
    func hot() throws {
        let sample = try Sample()
        try expectDirect(
            DeliveryChanged(delivery: sample.delivery, links: sample.links, cause: "status", changedAt: sample.at))
        let attributes = GroceryDeliveryAttributes(
            activity: "a-1", delivery: "a", reference: "G-1", store: "Nørrebro", bag: .init(number: 1, count: 2),
            itemCount: 3, promise: Window(from: 1, to: 2), timeZone: "Europe/Copenhagen")
        let content = GroceryDeliveryAttributes.ContentState(
            headline: Phrase(code: "en_route", values: ["courier": "Mira"], text: "Mira is on the way"),
            phase: .onTheWay, progress: 1 / 3, arrival: Window(from: 3, to: 4),
            courier: LiveActivity.Courier(name: "Mira", vehicle: "bicycle"), flags: ["late"],
            buttons: [CardButton(verb: "details", title: "Details", url: "https://doorstep.example/l/1")],
            revision: Revision(version: 3, step: 1))
        let shown = ShownActivity(
            attributes: attributes, content: content, startAt: 1, staleAt: 2, relevance: 0.5,
            alert: ActivityAlert(
                id: "near", validUntil: 5, title: Phrase(code: "a", text: "b"), body: Phrase(code: "c", text: "d")))
        let customer = try #require(CustomerID(rawValue: "c-1"))
        let activity = ActivityID(sample.delivery.id, episode: 1)
        let ended = EndedActivity(
            attributes: attributes, content: content, endedAt: 9, dismissal: .after(seconds: 60), alert: nil)
        for step in [ActivityStep.show(shown), .ended(ended)] {
            try expectDirect(
                Intent(
                    activity: activity, customer: customer, delivery: sample.delivery.id, writer: .orders, step: step))
        }
        try expectDirect(PushPayload.start(shown, timestamp: 7, alert: shown.alert))
        try expectDirect(PushPayload.update(shown, timestamp: 7, alert: nil))
        try expectDirect(PushPayload.end(ended, timestamp: 7, alert: nil))
    }
}

import Foundation
import LiveActivity
import Logging
import Messages
import NatsClient
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Messages to activity-dispatch", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct DispatchMessagesTests {
    private let delivery = DeliveryID(UUID())

    private func context(_ subject: String) -> MessageContext {
        MessageContext(message: StreamMessage(subject: subject, payload: []), logger: .silent)
    }

    private func intent(buttons: [CardButton] = []) -> Intent {
        let id = ActivityID(delivery, episode: 1)
        var content = GroceryDeliveryAttributes.ContentState.any(1, 0, .picking, nil)
        content.buttons = buttons
        return Intent(
            activity: id, customer: DispatchUnderTest.mira, delivery: delivery, writer: .orders,
            step: .show(
                ShownActivity(
                    attributes: .any(id.rawValue), content: content, startAt: 0, staleAt: farAhead, relevance: 0,
                    alert: nil)))
    }

    @Test("A button whose link has another origin than ours is left out, and the state arrives")
    func otherOrigin() async throws {
        try await DispatchUnderTest.run { service in
            let messages = DispatchMessages(intents: service.intentBatcher, linkOrigin: "https://go.example")
            let urls = ["https://go.example/l/a", "https://go.example.evil/l/a", "https://evil.example/l/a"]
            let intent = intent(buttons: urls.map { CardButton(verb: "details", title: "Details", url: $0) })
            let context = context(Subject.intents(.orders))
            for outcome in await messages.handle([(message: intent, context: context)]) { try outcome.get() }
            let stored = try await ActivityRepository.activity(intent.activity, on: service.pool)
            #expect(stored?.activity.wanted.content.buttons.map(\.url) == [urls[0]])
        }
    }
}

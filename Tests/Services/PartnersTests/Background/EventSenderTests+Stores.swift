import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import ServiceRuntime
import Testing
import WireCoding

@testable import Partners

extension EventSenderTests {
    @Test("An endpoint of one store gets no other store's events by a replay, of one event or of a period")
    func replayOfOtherStore() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(
                client, url: "http://nordhavn.example/", store: StoreID(rawValue: "nordhavn"))
            let mitte = try await partners.addEndpoint(
                client, url: "http://mitte.example/", store: StoreID(rawValue: "mitte"))
            try await partners.learn(try partners.delivery(store: "nordhavn"))
            while try await partners.parts.sender.sendDue() > 0 {}
            let posted = try #require(partners.receivers.posted.first)
            #expect(partners.receivers.posted.map(\.url) == ["http://nordhavn.example/"])
            partners.receivers.clear()
            let path = "/v1/webhooks/\(mitte.id)/replay"
            let one = try await partners.send(client, .post, path, ReplayBody(event: EventID(rawValue: posted.id)))
            #expect(one.status == .notFound)
            let period: QueuedBody = try await partners.send(
                client, .post, path,
                ReplayBody(
                    from: PartnersUnderTest.start.addingTimeInterval(-60),
                    to: PartnersUnderTest.start.addingTimeInterval(60))
            ).decode()
            #expect(period.queued == 0)
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(partners.receivers.posted.isEmpty)
        }
    }

    @Test("An event that a store triggers is sent to that store's endpoints alone")
    func triggerOfStore() async throws {
        try await PartnersUnderTest.run { partners, client in
            let nordhavn = try #require(StoreID(rawValue: "nordhavn"))
            try await partners.addEndpoint(client, url: "http://nordhavn.example/", store: nordhavn)
            try await partners.addEndpoint(
                client, url: "http://mitte.example/", store: StoreID(rawValue: "mitte"))
            try await partners.addEndpoint(client, url: "http://shop.example/")
            let answer: QueuedBody = try await partners.send(
                client, .post, "/v1/webhook-events", as: .store, store: "nordhavn", TriggerBody(type: .changed)
            ).decode()
            #expect(answer.queued == 1)
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(partners.receivers.posted.map(\.url) == ["http://nordhavn.example/"])
            let posted = try #require(partners.receivers.posted.first)
            let body = try WireJSON.decode(WebhookEventBody.self, from: posted.body)
            #expect(body.data.store == nordhavn && body.test == true)
        }
    }
}

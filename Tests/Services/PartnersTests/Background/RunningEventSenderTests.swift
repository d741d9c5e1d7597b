import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Partners

@Suite("Sending events until the process ends", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct RunningEventSenderTests {
    /// Sends in a process that polls once a day, until so many webhooks were posted.
    private func send(
        _ count: Int, _ partners: PartnersUnderTest, inFlightMax: Int = EventSender.Configuration().inFlightMax
    ) async throws {
        var configuration = EventSender.Configuration()
        configuration.pollInterval = .seconds(86_400)
        configuration.inFlightMax = inFlightMax
        let sender = partners.replica(configuration).sender
        let sending = Task { try await sender.run() }
        try await partners.receivers.waitUntilPosted(count)
        partners.receivers.release()
        sending.cancel()
        try await sending.value
    }

    @Test(
        "What there was no room for is leased as soon as an attempt has ended, and not at the next poll",
        arguments: [EventSender.Configuration().inFlightMax, 4])
    func room(inFlightMax: Int) async throws {
        try await PartnersUnderTest.run { partners, client in
            for index in 0..<3 { try await partners.addEndpoint(client, url: "http://shop.example/\(index)") }
            let count = EndpointHealth.inFlightMax * 2 + 1
            for _ in 0..<count { try await partners.learn(try partners.delivery()) }
            try await send(count * 3, partners, inFlightMax: inFlightMax)
            #expect(Set(partners.receivers.posted.map { $0.url + $0.id }).count == count * 3)
        }
    }

    @Test("What is sent once more is leased one after another, and not one at each poll")
    func replaysInTurn() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client, url: "http://shop.example/hooks")
            for _ in 0..<20 { try await partners.learn(try partners.delivery()) }
            try await send(20, partners)
            partners.receivers.clear()
            partners.clock.advance(by: 60)
            let body = ReplayBody(from: PartnersUnderTest.start, to: partners.clock.now)
            let answer = try await partners.send(client, .post, "/v1/webhooks/\(endpoint.id)/replay", body)
            #expect(answer.status == .accepted)
            try await send(20, partners)
            #expect(Set(partners.receivers.posted.map(\.id)).count == 20)
        }
    }

    @Test("What is sent once more waits for no answer while its endpoint has room")
    func replaysBesideOneAnother() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client, url: "http://shop.example/hooks")
            for _ in 0..<4 { try await partners.learn(try partners.delivery()) }
            try await send(4, partners)
            partners.receivers.clear()
            partners.clock.advance(by: 60)
            let body = ReplayBody(from: PartnersUnderTest.start, to: partners.clock.now)
            _ = try await partners.send(client, .post, "/v1/webhooks/\(endpoint.id)/replay", body)
            partners.receivers.hold()
            try await send(4, partners)
            #expect(Set(partners.receivers.posted.map(\.id)).count == 4)
        }
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing
import WebhookSender

@testable import Partners

extension EventSenderTests {
    @Test("Null removes an endpoint's description, and is refused for every other property")
    func nulls() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            let path = "/v1/webhooks/\(endpoint.id)"
            let named: EndpointBody = try await partners.send(
                client, .patch, path, ChangedEndpointBody(description: .text("Orders"))
            ).decode()
            #expect(named.description == "Orders")
            let bare: EndpointBody = try await partners.send(
                client, .patch, path, ChangedEndpointBody(description: .removed)
            ).decode()
            #expect(bare.description == nil)
            for name in ["url", "events", "enabled"] {
                let refused = try await partners.send(client, .patch, path, [name: String?.none])
                #expect(refused.status == .badRequest && String(buffer: refused.body).contains(name))
            }
        }
    }

    enum Change: CaseIterable, Sendable { case address, disabled, deleted }

    @Test(
        "Events in memory are sent to no former address, and to no disabled or deleted endpoint",
        arguments: Change.allCases)
    func changedMeanwhile(change: Change) async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client, url: "http://shop.example/former")
            // The first answer makes the endpoint a quick one, whose next events wait in memory.
            try await partners.learn(try partners.delivery())
            while try await partners.parts.sender.sendDue() > 0 {}
            partners.receivers.clear()
            let count = EndpointHealth.inFlightMax + 4
            for _ in 0..<count { try await partners.learn(try partners.delivery()) }
            partners.receivers.hold()
            async let sending = partners.parts.sender.sendDue()
            try await partners.receivers.waitUntilPosted(EndpointHealth.inFlightMax)
            let path = "/v1/webhooks/\(endpoint.id)"
            switch change {
            case .address:
                let body = ChangedEndpointBody(url: "http://shop.example/present")
                #expect(try await partners.send(client, .patch, path, body).status == .ok)
            case .disabled:
                let body = ChangedEndpointBody(enabled: false)
                #expect(try await partners.send(client, .patch, path, body).status == .ok)
            case .deleted: #expect(try await partners.send(client, .delete, path).status == .noContent)
            }
            // As the process polls each second.
            _ = try await partners.parts.sender.sendDue()
            partners.receivers.release()
            #expect(try await sending == count)
            while try await partners.parts.sender.sendDue() > 0 {}
            let posted = Dictionary(grouping: partners.receivers.posted, by: \.url).mapValues(\.count)
            #expect(posted["http://shop.example/former"] == EndpointHealth.inFlightMax)
            #expect(posted["http://shop.example/present"] == (change == .address ? 4 : nil))
        }
    }

    @Test("A new address has no pause and no failures of the former one, and what waits is due at once")
    func newAddress() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client, url: "http://shop.example/former")
            partners.receivers.answer { posted in
                posted.url.hasSuffix("former")
                    ? .answered(status: 429, excerpt: "", retryAfter: .seconds(86_400))
                    : .answered(status: 204, excerpt: "", retryAfter: nil)
            }
            func move(to name: String) async throws -> EndpointBody {
                let body = ChangedEndpointBody(url: "http://shop.example/\(name)")
                return try await partners.send(client, .patch, "/v1/webhooks/\(endpoint.id)", body).decode()
            }
            try await partners.learn(try partners.delivery())
            #expect(try await partners.parts.sender.sendDue() == 1)
            let paused = try await read(partners, client, endpoint.id)
            #expect(paused.pausedUntil != nil && paused.state == .failing)
            #expect(try await move(to: "former").pausedUntil == paused.pausedUntil)
            let moved = try await move(to: "present")
            #expect(moved.pausedUntil == nil && moved.state == .enabled)
            #expect(try await partners.parts.sender.sendDue() == 1)
            #expect(partners.receivers.posted.map(\.url).last == "http://shop.example/present")
            #expect(try await read(partners, client, endpoint.id).waiting == 0)
        }
    }

    @Test("An answer of the former address that comes after the change pauses no new one")
    func lateAnswer() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client, url: "http://shop.example/former")
            partners.receivers.answer(429, retryAfter: .seconds(86_400))
            try await partners.learn(try partners.delivery())
            partners.receivers.hold()
            async let sending = partners.parts.sender.sendDue()
            try await partners.receivers.waitUntilPosted(1)
            let body = ChangedEndpointBody(url: "http://shop.example/present")
            let answer = try await partners.send(client, .patch, "/v1/webhooks/\(endpoint.id)", body)
            #expect(answer.status == .ok)
            partners.receivers.release()
            #expect(try await sending == 1)
            let moved = try await read(partners, client, endpoint.id)
            #expect(moved.pausedUntil == nil && moved.state == .enabled && moved.waiting == 1)
            // It waits for nothing that the former address has answered.
            partners.receivers.answer(204, retryAfter: nil)
            #expect(try await partners.parts.sender.sendDue() == 1)
            #expect(partners.receivers.posted.last?.url == "http://shop.example/present")
        }
    }

    @Test("An attempt at the former address that began after the change is ignored")
    func startedLate() {
        var health = EndpointHealth()
        let moved = Date(timeIntervalSince1970: 100)
        health.move(at: moved)
        health.ignore(begun: moved.addingTimeInterval(-1))
        #expect(health == EndpointHealth(countsFrom: moved))
        health.ignore(begun: moved.addingTimeInterval(0.5))
        #expect(health.countsFrom.map { $0 > moved.addingTimeInterval(0.5) } == true)
    }

    @Test("After a success at a new address an event that failed at both is due, as one that failed there alone")
    func failedAtBoth() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client, url: "http://shop.example/former")
            partners.receivers.answer(503, retryAfter: nil)
            try await partners.learn(try partners.delivery())
            for _ in 0..<3 {
                #expect(try await partners.parts.sender.sendDue() == 1)
                partners.clock.advance(by: 3_600)
            }
            let body = ChangedEndpointBody(url: "http://shop.example/present")
            let answer = try await partners.send(client, .patch, "/v1/webhooks/\(endpoint.id)", body)
            #expect(answer.status == .ok)
            #expect(try await partners.parts.sender.sendDue() == 1)
            // Longer than the pause, and not than the schedule of an event with four failed attempts.
            partners.clock.advance(by: 60)
            partners.receivers.answer(204, retryAfter: nil)
            try await partners.learn(try partners.delivery())
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(try await read(partners, client, endpoint.id).waiting == 0)
        }
    }
}

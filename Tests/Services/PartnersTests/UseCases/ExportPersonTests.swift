import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ProviderSamples
import ReliableMessaging
import TestSupport
import Testing

@testable import Partners

@Suite("Customers that are exported", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExportPersonTests {
    private static func records(
        of deliveries: [Delivery], _ partners: PartnersUnderTest
    ) async throws -> [ArchiveSection: [String]] {
        let request = ExportRequest(
            request: UUID(), customer: deliveries[0].customer, store: nil,
            deliveries: deliveries.map { .init(delivery: $0.id, episode: 1) }, isLast: true, cursor: nil)
        return try await exportedRecords(request, by: ExportPerson(ExportRecords.sources(on: partners.pool)))
    }

    @Test("An archive has events with the hosts that they are sent to, reports with their webhooks, and names")
    func exported() async throws {
        try await PartnersUnderTest.run { partners, client in
            let subscribed = try await partners.send(
                client, .post, "/v1/webhooks", NewEndpointBody(url: "http://shop.example/secret-path"))
            #expect(subscribed.status == .created)
            let source = try await partners.addSource(client, .doorDash)
            var delivery = try partners.delivery()
            try await partners.learn(delivery)
            _ = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: "D-77"))
            let body = ProviderLife(of: .doorDash, reference: "D-77", from: PartnersUnderTest.start).bodies[0]
            #expect(try await partners.post(client, body, from: .doorDash, source).status == .ok)
            _ = try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            let other = try partners.delivery()
            try await partners.learn(other)

            let records = try await Self.records(of: [delivery], partners)
            #expect(records[.reports]?.count == 1 && records[.providerNames]?.count == 1)
            #expect(records[.events]?.isEmpty == false)
            #expect(try ArchiveChecker.faults(of: records) == [])
            let text = records.values.joined().joined()
            #expect(text.contains("shop.example") && text.contains(#""body": "#))
            for secret in ["secret-path", source.secret, other.id.rawValue] { #expect(!text.contains(secret)) }
        }
    }

    @Test("A webhook that reports another delivery too is left out, and its record names that")
    func shared() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let (own, other) = (try partners.delivery(), try partners.delivery())
            for delivery in [own, other] { try await partners.learn(delivery) }
            let bodies = [own, other].map { delivery in
                ProviderLife(of: .cloudEvents, reference: delivery.id.rawValue, from: PartnersUnderTest.start).bodies[0]
            }
            let posted = try await partners.post(
                client, "[\(bodies.joined(separator: ","))]", from: .cloudEvents, source,
                headers: ["content-type": "application/cloudevents-batch+json"])
            #expect(posted.status == .ok)
            let records = try await Self.records(of: [own], partners)
            let report = try #require(records[.reports]?.first)
            #expect(records[.reports]?.count == 1)
            #expect(report.contains("it reports other deliveries too") && !report.contains(other.id.rawValue))
            #expect(try ArchiveChecker.faults(of: records) == [])
        }
    }
}

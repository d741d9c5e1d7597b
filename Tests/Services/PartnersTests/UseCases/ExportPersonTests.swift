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
        of deliveries: [Delivery], for store: StoreID? = nil, _ partners: PartnersUnderTest
    ) async throws -> [ArchiveSection: [String]] {
        let request = ExportRequest(
            request: UUID(), person: .customer(deliveries[0].customer), store: store,
            deliveries: deliveries.map { .init(delivery: $0.id, episode: 1) }, isLast: true, cursor: nil)
        return try await exportedRecords(request, by: ExportPerson(ExportRecords.sources(on: partners.pool)))
    }

    @Test(
        "An archive has events with the hosts that they are sent to, what reports tell and names, and no courier",
        arguments: [DeliveryProvider.doorDash, .cloudEvents])
    func exported(provider: DeliveryProvider) async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client, url: "http://shop.example/secret-path")
            let source = try await partners.addSource(client, provider)
            var delivery = try await partners.learnDelivery()
            _ = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: "D-77"))
            let body = ProviderLife(of: provider, reference: "D-77", from: PartnersUnderTest.start).bodies[0]
                .replacing(
                    "\"dasher_id\"",
                    with: "\"dropoff_verification_image_url\":\"https://images.example/door.jpg\",\"dasher_id\"")
            #expect(try await partners.post(client, body, from: provider, source).status == .ok)
            let courier = Courier(
                id: try #require(CourierID(rawValue: "canary-courier")), name: "Canary Rider", vehicle: .bicycle,
                phone: "+45 canary")
            try await partners.change(&delivery, .courier(courier))
            try await partners.change(&delivery, .courier(nil))
            try await partners.change(&delivery, .override(.delivered, reason: "canary reason"))
            let other = try await partners.learnDelivery()

            let records = try await Self.records(of: [delivery], partners)
            #expect(records[.reports]?.count == 1 && records[.providerNames]?.count == 1)
            #expect((records[.events]?.count ?? 0) > 1)
            #expect(try await ArchiveChecker.faults(of: records) == [])
            let text = records.values.joined().joined()
            #expect(text.contains("shop.example"))
            let secrets = [
                "secret-path", source.secret, other.id.rawValue, "Sam", "+1415", "37.77,", "37.77}", "37.77]",
                "images.example",
                "canary-courier", "Canary Rider", "+45 canary", "canary reason",
            ]
            for secret in secrets { #expect(!text.contains(secret), "\(secret)") }

            // A deleted source's names are kept.
            #expect(try await partners.send(client, .delete, "/v1/sources/\(source.id)").status == .noContent)
            let kept = try await Self.records(of: [delivery], partners)
            #expect(kept[.providerNames] == records[.providerNames])
            #expect(try await ArchiveChecker.faults(of: kept) == [])
        }
    }

    @Test("A store's archive has the hosts that are set for the store, and not those of the whole shop")
    func stores() async throws {
        try await PartnersUnderTest.run { partners, client in
            let nordhavn = try #require(StoreID(rawValue: "nordhavn"))
            for (store, host) in [(StoreID?.none, "whole.example"), (nordhavn, "own.example")] {
                try await partners.addEndpoint(client, url: "http://\(host)/hooks", store: store)
            }
            var delivery = try await partners.learnDelivery()
            try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            for (store, hosts) in [(StoreID?.none, ["own", "whole"]), (nordhavn, ["own"])] {
                let records = try await Self.records(of: [delivery], for: store, partners)
                let text = records.values.joined().joined()
                #expect(["own", "whole"].filter { text.contains("\($0).example") } == hosts)
                #expect(try await ArchiveChecker.faults(of: records) == [])
            }
        }
    }

    @Test("Of a webhook that reports another delivery too, each archive has its own report")
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
            #expect(records[.reports]?.count == 1)
            #expect(records[.reports]?.first?.contains(other.id.rawValue) == false)
            #expect(try await ArchiveChecker.faults(of: records) == [])
        }
    }
}

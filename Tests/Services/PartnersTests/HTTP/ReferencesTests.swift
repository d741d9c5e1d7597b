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
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Providers' references of deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReferencesTests {
    @Test("The end of a part names the provider that the delivery was given to since, and no other report does")
    func formerReference() async throws {
        try await PartnersUnderTest.run { partners, client in
            let sources = [
                DeliveryProvider.doorDash: try await partners.addSource(client, .doorDash),
                .uber: try await partners.addSource(client, .uber),
            ]
            let delivery = try await partners.learnDelivery()
            func successor(_ provider: DeliveryProvider, _ body: String) async throws -> String? {
                partners.clock.advance(by: 1)
                let source = try #require(sources[provider])
                #expect(try await partners.post(client, body, from: provider, source).status == .ok)
                let report = try #require(try await partners.outbox().reports.last)
                #expect(report.delivery == delivery.id)
                return report.report.successor?.rawValue
            }
            func dasher(_ kind: String, _ attempt: Int) -> String {
                """
                {"event_name":"\(kind)","external_delivery_id":"\(delivery.id)","dasher_id":"7","dasher_name":"Sam",
                "created_at":"2026-11-21T10:00:0\(attempt)Z"}
                """
            }
            func cancelled(_ id: String) -> String {
                """
                {"kind":"event.delivery_status","id":"evt_\(id)","delivery_id":"\(id)","status":"canceled",
                "external_id":"\(delivery.id)"}
                """
            }
            func give(to id: String) async throws {
                partners.clock.advance(by: 1)
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider",
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: "uber")), reference: id))
                #expect(answer.status == .ok)
            }
            #expect(try await successor(.doorDash, dasher("DELIVERY_CANCELLED", 1)) == nil)
            try await give(to: "del_8")
            #expect(try await successor(.doorDash, dasher("DELIVERY_CANCELLED", 2)) == "uber")
            #expect(try await successor(.doorDash, dasher("DASHER_CONFIRMED", 3)) == nil)
            #expect(try await successor(.uber, cancelled("del_8")) == nil)
            try await give(to: "del_9")
            let former = cancelled("del_8").replacingOccurrences(of: "evt_", with: "evt_again_")
            #expect(try await successor(.uber, former) == "uber")
        }
    }

    @Test("A system that reported no courier has no successor, and neither has the provider that has the delivery now")
    func ownReference() async throws {
        try await PartnersUnderTest.run { partners, client in
            let shop = try await partners.addSource(client, .cloudEvents, id: "oms")
            let uber = try await partners.addSource(client, .uber)
            _ = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            func successor(_ body: String, _ provider: DeliveryProvider) async throws -> String? {
                partners.clock.advance(by: 1)
                let source = provider == .uber ? uber : shop
                #expect(try await partners.post(client, body, from: provider, source).status == .ok)
                return try #require(try await partners.outbox().reports.last).report.successor?.rawValue
            }
            func system(_ id: Int, _ data: String) -> String {
                """
                {"specversion":"1.0","id":"\(id)","source":"oms","type":"doorstep.delivery.status",
                "subject":"\(delivery.id)","data":{\(data)}}
                """
            }
            func direct(_ status: String) -> String {
                """
                {"kind":"event.delivery_status","id":"evt_\(status)","delivery_id":"del_5","status":"\(status)",
                "external_id":"\(delivery.id)"}
                """
            }
            #expect(try await successor(system(1, #""status":"accepted""#), .cloudEvents) == nil)
            partners.clock.advance(by: 1)
            let answer = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: "doordash")), reference: "D-5"))
            #expect(answer.status == .ok)
            #expect(try await successor(system(2, #""status":"cancelled""#), .cloudEvents) == nil)
            let courier = #""status":"assigned","courier":{"id":"7","name":"Sam"}"#
            #expect(try await successor(system(3, courier), .cloudEvents) == nil)
            #expect(try await successor(system(4, #""status":"failed""#), .cloudEvents) == "doordash")
            // It came after the reference, by Doorstep's own id.
            #expect(try await successor(direct("pickup"), .uber) == nil)
            #expect(try await successor(direct("canceled"), .uber) == nil)
        }
    }

    @Test(
        "A platform whose first courier comes in the batch of its cancel, or in the cancel itself, has a successor",
        arguments: [["assigned", "cancelled"], ["cancelled"]])
    func firstCourier(statuses: [String]) async throws {
        try await PartnersUnderTest.run { partners, client in
            let platform = try await partners.addSource(client, .cloudEvents, id: "velo")
            _ = try await partners.addSource(client, .uber)
            let delivery = try await partners.learnDelivery()
            for (source, reference) in [("velo", "V-1"), ("uber", "del_1")] {
                partners.clock.advance(by: 1)
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider",
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: source)), reference: reference))
                #expect(answer.status == .ok)
            }
            let courier = #","courier":{"id":"7","name":"Sam"}"#
            let events = statuses.enumerated().map { index, status in
                """
                {"specversion":"1.0","id":"\(index)","source":"velo","type":"doorstep.delivery.status",
                "subject":"V-1","data":{"status":"\(status)"\(index == 0 ? courier : "")}}
                """
            }
            let answer = try await partners.post(
                client, "[\(events.joined(separator: ","))]", from: .cloudEvents, platform,
                headers: ["content-type": "application/cloudevents-batch+json"])
            #expect(answer.status == .ok)
            let reports = try await partners.outbox().reports.map(\.report)
            #expect(reports.count == statuses.count)
            #expect(reports.filter { $0.status == .cancelled }.map(\.successor?.rawValue) == ["uber"])
        }
    }

    @Test("Neither the shop's own system nor the same job under another source is a successor")
    func noSuccessor() async throws {
        try await PartnersUnderTest.run { partners, client in
            let uber = try await partners.addSource(client, .uber)
            _ = try await partners.addSource(client, .uber, id: "uber-oslo")
            let shop = try await partners.addSource(client, .cloudEvents, id: "oms")
            let (delivery, direct) = (try partners.delivery(), try partners.delivery())
            for one in [delivery, direct] { try await partners.learn(one) }
            func name(_ one: Delivery, _ reference: String, by source: String) async throws {
                partners.clock.advance(by: 1)
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(one.id)/provider",
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: source)), reference: reference))
                #expect(answer.status == .ok)
            }
            func successor(_ body: String) async throws -> String? {
                partners.clock.advance(by: 1)
                let former = try await partners.outbox().reports.count
                #expect(try await partners.post(client, body, from: .uber, uber).status == .ok)
                let reports = try await partners.outbox().reports
                #expect(reports.count == former + 1)
                return reports.last?.report.successor?.rawValue
            }
            func cancelled(_ event: Int, _ job: String, _ external: String) async throws -> String? {
                try await successor(
                    """
                    {"kind":"event.delivery_status","id":"evt_\(event)","delivery_id":"\(job)","status":"canceled",
                    "external_id":"\(external)"}
                    """)
            }
            try await name(delivery, "del_5", by: "uber")
            try await name(delivery, "G-1042-1", by: "oms")
            #expect(try await cancelled(1, "del_5", "G-1042") == nil)
            try await name(delivery, "del_5", by: "uber-oslo")
            #expect(try await cancelled(2, "del_5", "G-1042") == nil)
            let back = #""delivery_id":"ret_5","status":"canceled","data":{"related_deliveries":[{"id":"del_5"}]}"#
            #expect(try await successor(#"{"kind":"event.delivery_return","id":"evt_back",\#(back)}"#) == nil)
            // Without a reference of its own, the source's first report is the beginning of its part.
            #expect(try await cancelled(3, "del_6", direct.id.rawValue) == nil)
            try await name(direct, "del_6", by: "uber-oslo")
            #expect(try await cancelled(4, "del_6", direct.id.rawValue) == nil)
            // A source of CloudEvents that reports couriers is a courier platform.
            let assigned = """
                {"specversion":"1.0","id":"1","source":"oms","type":"doorstep.delivery.status",
                "subject":"\(direct.id)","data":{"status":"assigned"}}
                """
            #expect(try await partners.post(client, assigned, from: .cloudEvents, shop).status == .ok)
            #expect(try await cancelled(5, "del_5", "G-1042") == "cloudevents")
        }
    }

    @Test(
        "Two accounts at one provider with a number that the shop chose are two jobs",
        arguments: [DeliveryProvider.cloudEvents, .doorDash, .uber])
    func sameNumber(provider: DeliveryProvider) async throws {
        try await PartnersUnderTest.run { partners, client in
            let accounts = [
                try await partners.addSource(client, provider, id: "fleet-a"),
                try await partners.addSource(client, provider, id: "fleet-b"),
            ]
            let (delivery, other) = (try partners.delivery(), try partners.delivery())
            for one in [delivery, other] { try await partners.learn(one) }
            func name(_ one: Delivery, _ reference: String, by account: Int) async throws {
                partners.clock.advance(by: 1)
                let source = try #require(SourceID(rawValue: accounts[account].id))
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(one.id)/provider",
                    ProviderReferenceBody(source: source, reference: reference))
                #expect(answer.status == .ok)
            }
            func successor(_ reference: String, isCancel: Bool, by account: Int) async throws -> String? {
                partners.clock.advance(by: 1)
                let event = UUID().uuidString
                let body =
                    switch provider {
                    case .uber:
                        """
                        {"kind":"event.delivery_status","id":"\(event)","delivery_id":"del_\(account)",
                        "external_id":"\(reference)","status":"\(isCancel ? "canceled" : "pickup")"}
                        """
                    case .doorDash:
                        """
                        {"event_name":"\(isCancel ? "DELIVERY_CANCELLED" : "DASHER_CONFIRMED")","dasher_id":"7",
                        "external_delivery_id":"\(reference)","created_at":"\(event)"}
                        """
                    case .cloudEvents, .instacart, .onfleet:
                        """
                        {"specversion":"1.0","id":"\(event)","source":"fleet","type":"doorstep.delivery.status",
                        "subject":"\(reference)","data":{"status":"\(isCancel ? "cancelled" : "assigned")"}}
                        """
                    }
                #expect(try await partners.post(client, body, from: provider, accounts[account]).status == .ok)
                return try #require(try await partners.outbox().reports.last).report.successor?.rawValue
            }
            // A source of CloudEvents that has reported a courier is a courier platform.
            try await name(other, "G-1041-1", by: 1)
            #expect(try await successor("G-1041-1", isCancel: false, by: 1) == nil)
            try await name(delivery, "G-1042-1", by: 0)
            #expect(try await successor("G-1042-1", isCancel: false, by: 0) == nil)
            try await name(delivery, "G-1042-1", by: 1)
            #expect(try await successor("G-1042-1", isCancel: true, by: 0) == provider.rawValue)
        }
    }

    @Test("An order's number as a reference is the live delivery's, and the provider's own id comes before it")
    func orderNumbers() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            var (first, second) = (try partners.delivery(), try partners.delivery())
            for delivery in [first, second] { try await partners.learn(delivery) }
            func name(_ delivery: Delivery, _ reference: String) async throws -> HTTPResponse.Status {
                try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider",
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: reference)
                ).status
            }
            func report(_ id: String) async throws -> DeliveryID? {
                let body = """
                    {"kind":"event.delivery_status","id":"evt_\(UUID())","external_id":"1042","delivery_id":"\(id)",
                    "status":"pickup"}
                    """
                #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
                return try await partners.outbox().reports.last?.delivery
            }
            #expect(try await name(first, "1042") == .ok)
            #expect(try await name(second, "1042") == .conflict)
            // Of two live deliveries with one number the provider's own id decides.
            #expect(try await name(second, "del_2") == .ok)
            #expect(try await report("del_1") == first.id)
            #expect(try await report("del_2") == second.id)
            try await partners.change(&first, .override(.cancelled, reason: "no stock"))
            #expect(try await name(second, "1042") == .ok)
            #expect(try await report("del_3") == second.id)
            #expect(try await name(first, "1042") == .conflict)
            // An ended delivery frees no number for another that has ended.
            try await partners.change(&second, .override(.cancelled, reason: "no stock"))
            #expect(try await name(first, "1042") == .conflict)
        }
    }
}

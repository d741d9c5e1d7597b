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

@Suite(
    "Webhooks whose delivery becomes known meanwhile", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct WaitingReceiptsTests {
    /// By what it becomes known which delivery a webhook is of.
    enum Knowledge: CaseIterable, Sendable {
        case reference
        case delivery
    }

    /// What DoorDash sends first of a delivery that it calls so.
    private func webhook(_ reference: String) -> String {
        ProviderLife(of: .doorDash, reference: reference, from: PartnersUnderTest.start).bodies[0]
    }

    private func reference(_ text: String, by source: String) throws -> ProviderReferenceBody {
        ProviderReferenceBody(source: try #require(SourceID(rawValue: source)), reference: text)
    }

    @Test("Of two references whose deliveries become known together the provider's own id counts")
    func together() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            var (wanted, changes): (Set<DeliveryID>, [DeliveryChanged]) = ([], [])
            for number in 0..<8 {
                let (other, own) = (try partners.delivery(), try partners.delivery())
                for (delivery, text) in [(other, "\(number)"), (own, "del_\(number)")] {
                    let named = try await partners.send(
                        client, .put, "/v1/deliveries/\(delivery.id)/provider", try reference(text, by: source.id))
                    #expect(named.status == .ok)
                    changes.append(
                        DeliveryChanged(
                            delivery: delivery, links: [], cause: "placed", changedAt: PartnersUnderTest.start))
                }
                let body = """
                    {"kind":"event.delivery_status","id":"evt_\(number)","external_id":"\(number)",
                    "delivery_id":"del_\(number)","status":"pickup"}
                    """
                #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
                wanted.insert(own.id)
            }
            #expect(try await partners.outbox().reports.isEmpty)
            try await partners.parts.applyDeliveryChange(changes)
            #expect(Set(try await partners.outbox().reports.map(\.delivery)) == wanted)
        }
    }

    @Test(
        "A webhook on its way into the table when its delivery becomes known, with nothing waiting yet, is applied",
        arguments: Knowledge.allCases)
    func overtaken(knowledge: Knowledge) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try partners.delivery()
            if knowledge == .reference { try await partners.learn(delivery) }
            let body = webhook(knowledge == .reference ? "D-77" : delivery.id.rawValue)
            let reference = try reference("D-77", by: source.id)
            let posting: @Sendable () async throws -> Void = {
                let answer = try await partners.post(client, body, from: .doorDash, source)
                #expect(answer.status == .ok)
            }
            let event = try #require(
                try DeliveryProvider.doorDash.events(
                    in: Data(body.utf8), receivedAt: PartnersUnderTest.start, from: source.id
                ).first
            ).get()
            let row: SQL = """
                INSERT INTO receipts (receipt_id, source_id, event_key, kind, delivery_names, state, is_known,
                    received_at)
                VALUES (gen_random_uuid(), \(source.id), \(event.key), '', '{}', 'waiting', true, \(PartnersUnderTest.start))
                """
            // It has found no delivery by then, and has stored nothing that whoever names one could see.
            try await partners.block([posting], behind: row) {
                switch knowledge {
                case .reference:
                    let named = try await partners.send(
                        client, .put, "/v1/deliveries/\(delivery.id)/provider", reference)
                    #expect(named.status == .ok)
                case .delivery: try await partners.learn(delivery)
                }
                #expect(try await partners.outbox().reports.isEmpty)
            }
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id])
            #expect(try await partners.receipts(client).map(\.state) == [.applied])
        }
    }

    @Test(
        "A delivery whose row a promoted database has lost is learnt again by the resync, and its webhook is applied",
        arguments: [false, true])
    func lostRow(isSubscribed: Bool) async throws {
        try await PartnersUnderTest.run { partners, client in
            if isSubscribed { try await partners.addEndpoint(client) }
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            _ = try await partners.pool.execute("DELETE FROM deliveries")
            let body = webhook(delivery.id.rawValue)
            #expect(try await partners.post(client, body, from: .doorDash, source).status == .ok)
            #expect(try await partners.receipts(client).map(\.state) == [.waiting])
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            let rows = try await partners.pool.query("SELECT delivery_id FROM deliveries")
            #expect(try rows.map { try $0.decode("delivery_id", as: String.self) } == [delivery.id.rawValue])
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id])
            #expect(try await partners.receipts(client).map(\.state) == [.applied])
        }
    }

    @Test(
        "The end of a former provider's part that waited names its successor, also where it is sent again",
        arguments: [(DeliveryProvider.doorDash, "D-66"), (.cloudEvents, "V-66"), (.doorDash, nil)]
            as [(DeliveryProvider, String?)])
    func formerProvider(provider: DeliveryProvider, named: String?) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, provider)
            let next = try await partners.addSource(client, .uber)
            let delivery = try partners.delivery()
            func name(_ text: String, by id: String) async throws {
                partners.clock.advance(by: 1)
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider", try reference(text, by: id))
                #expect(answer.status == .ok)
            }
            if let named { try await name(named, by: source.id) }
            // Without a reference of its own the provider uses the delivery's id.
            let subject = named ?? delivery.id.rawValue
            let bodies =
                provider == .cloudEvents
                ? ["assigned", "cancelled"].map { status in
                    """
                    {"specversion":"1.0","id":"\(status)","source":"velo","type":"doorstep.delivery.status",
                    "subject":"\(subject)","data":{"status":"\(status)"}}
                    """
                }
                : [
                    """
                    {"event_name":"DELIVERY_CANCELLED","external_delivery_id":"\(subject)","dasher_id":"7",
                    "dasher_name":"Sam","created_at":"2026-11-21T10:00:01Z"}
                    """
                ]
            for body in bodies {
                #expect(try await partners.post(client, body, from: provider, source).status == .ok)
            }
            try await name("del_66", by: next.id)
            let waiting = try await partners.receipts(client)
            #expect(waiting.count == bodies.count && waiting.allSatisfy { $0.state == .waiting })
            try await partners.learn(delivery)
            #expect(try await partners.outbox().reports.compactMap(\.report.successor?.rawValue) == ["uber"])
            let rows = try await partners.pool.query(
                "SELECT report->>'successor' AS successor FROM receipts WHERE report->>'status' = 'cancelled'")
            #expect(try rows.map { try $0.decode("successor", as: String?.self) } == ["uber"])
        }
    }

    @Test("A webhook that waits is not applied under its source once that source is another store's")
    func otherStore() async throws {
        try await PartnersUnderTest.run { partners, client in
            let former = try await partners.addSource(
                client, .doorDash, store: StoreID(rawValue: "nordhavn"))
            #expect(try await partners.post(client, webhook("D-55"), from: .doorDash, former).status == .ok)
            let moved = try await partners.send(
                client, .put, "/v1/sources/\(former.id)",
                PutSourceBody(provider: "doordash", store: StoreID(rawValue: "mitte")))
            #expect(moved.status == .ok)
            let delivery = try await partners.learnDelivery(store: "mitte")
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider", try reference("D-55", by: former.id))
            #expect(named.status == .ok)
            #expect(try await partners.outbox().reports.isEmpty)
            #expect(try await partners.receipts(client).map(\.state) == [.waiting])
        }
    }

    @Test("A webhook that comes again applies what a process that ended in between left waiting")
    func leftWaiting() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            #expect(try await partners.post(client, webhook("D-88"), from: .doorDash, source).status == .ok)
            // The process that was given the name got no further.
            _ = try await SourceRepository.setReference(
                try reference("D-88", by: source.id), of: delivery.id, within: nil, at: partners.clock.now,
                on: partners.pool)
            #expect(try await partners.receipts(client).map(\.state) == [.waiting])
            #expect(try await partners.outbox().reports.isEmpty)
            #expect(try await partners.post(client, webhook("D-88"), from: .doorDash, source).status == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id])
            #expect(try await partners.receipts(client).map(\.state) == [.applied])
        }
    }

    @Test("What two find waiting at once is reported and counted once")
    func appliedTwice() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            #expect(try await partners.post(client, webhook("D-99"), from: .doorDash, source).status == .ok)
            _ = try await SourceRepository.setReference(
                try reference("D-99", by: source.id), of: delivery.id, within: nil, at: partners.clock.now,
                on: partners.pool)
            let applying: @Sendable () async throws -> Void = {
                try await partners.parts.applyWaiting(for: [delivery.id])
            }
            // Both have read that it waits, and neither has locked it.
            try await partners.block([applying, applying], at: "receipts", in: "EXCLUSIVE")
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id])
            let counts = try await partners.pool.query("SELECT reports FROM reported_deliveries")
            #expect(try counts.map { try $0.decode("reports", as: Int.self) } == [1])
        }
    }
}

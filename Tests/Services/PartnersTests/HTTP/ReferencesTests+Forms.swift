import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Partners

extension ReferencesTests {
    @Test("A reference that is a UUID is the same in capitals, for webhooks before and after it")
    func upperCase() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            let text = UUID().uuidString
            let bodies = ProviderLife(of: .doorDash, reference: text, from: PartnersUnderTest.start).bodies
            #expect(try await partners.post(client, bodies[0], from: .doorDash, source).status == .ok)
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: text))
            #expect(named.status == .ok)
            #expect(try named.decode(ProviderReferencesBody.self).references.map(\.reference) == [text.lowercased()])
            #expect(try await partners.post(client, bodies[1], from: .doorDash, source).status == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id, delivery.id])
            #expect(try await partners.receipts(client).map(\.state) == [.applied, .applied])
        }
    }

    @Test("White space around a reference is no part of it, as the shop sends it or as a webhook has it")
    func whiteSpace() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let id = try #require(SourceID(rawValue: source.id))
            for (asked, sent, stored) in [(" D-1 ", "D-1", "D-1"), ("D-2", " D-2 ", "D-2"), ("D-3 ", "D-3 ", "D-3")] {
                let delivery = try await partners.learnDelivery()
                let named = try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider",
                    ProviderReferenceBody(source: id, reference: asked))
                #expect(try named.decode(ProviderReferencesBody.self).references.map(\.reference) == [stored])
                let body = ProviderLife(of: .doorDash, reference: sent, from: PartnersUnderTest.start).bodies[0]
                #expect(try await partners.post(client, body, from: .doorDash, source).status == .ok)
                #expect(try await partners.outbox().reports.map(\.delivery).contains(delivery.id))
            }
            let delivery = try await partners.learnDelivery()
            let blank = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: id, reference: "  "))
            #expect(blank.status == .badRequest)
        }
    }

    @Test("A token of one delivery sets references of sources of that delivery's store alone")
    func ofOneDelivery() async throws {
        try await PartnersUnderTest.run { partners, client in
            let shops = try await partners.addSource(client, .doorDash)
            let store = try #require(StoreID(rawValue: "nordhavn"))
            let own = try await partners.addSource(client, .uber, store: store)
            let first = try await partners.learnDelivery().id
            let second = try await partners.learnDelivery().id
            func name(
                _ delivery: DeliveryID, _ reference: String, at source: (id: String, secret: String), by token: String
            ) async throws -> HTTPResponse.Status {
                let body = ProviderReferenceBody(
                    source: try #require(SourceID(rawValue: source.id)), reference: reference)
                return try await client.execute(
                    uri: "/v1/deliveries/\(delivery)/provider", method: .put,
                    headers: [.contentType: "application/json", .authorization: "Bearer \(token)"],
                    body: ByteBuffer(bytes: try WireJSON.encode(body))
                ).status
            }
            for role in [Role.operator, .store] {
                let token = try await partners.token(role, "ada", delivery: second.rawValue)
                #expect(try await name(second, "D-1", at: shops, by: token) == .notFound)
                #expect(try await name(first, "del_1", at: own, by: token) == .notFound)
                #expect(try await name(second, "del_2", at: own, by: token) == .ok)
                let unknown = DeliveryID(UUID())
                let other = try await partners.token(role, "ada", delivery: unknown.rawValue)
                #expect(try await name(unknown, "del_3", at: own, by: other) == .notFound)
            }
            let whole = try await partners.token(.operator, "ada")
            #expect(try await name(second, "D-1", at: shops, by: whole) == .ok)
        }
    }

    @Test(
        "Of a reference that a former version stored in several forms the newest stays, contested where two stores claim it",
        arguments: ["reference_forms", "trimmed_references"])
    func storedForms(name: String) async throws {
        let isTrimmed = name == "trimmed_references"
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let (first, second) = (try partners.delivery(), try partners.delivery())
            let other = try partners.delivery(store: "mitte")
            for one in [first, second, other] { try await partners.learn(one) }
            func store(_ reference: String, of delivery: Delivery) async throws {
                partners.clock.advance(by: 1)
                try await partners.pool.execute(
                    """
                    INSERT INTO provider_references (source_id, reference, delivery_id, set_at)
                    VALUES (\(source.id), \(reference), \(delivery.id.rawValue), \(partners.clock.now))
                    """)
            }
            let (single, doubled, claimed) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)
            func former(_ reference: String) -> String { isTrimmed ? " \(reference.lowercased())\u{A0}" : reference }
            try await store(former(single), of: first)
            try await store(former(doubled), of: first)
            try await store(doubled.lowercased(), of: second)
            try await store(claimed.lowercased(), of: first)
            try await store(former(claimed), of: other)
            try await store("D-7", of: first)
            let migration = try #require(Partners.process.migrations.first { $0.name == name })
            try await partners.pool.withTransaction { try await $0.executeScript(migration.sql) }
            let rows = try await partners.pool.query(
                "SELECT reference, delivery_id, is_contested FROM provider_references")
            let kept = try rows.map { row in
                let isContested = try row.decode("is_contested", as: Bool.self)
                let (reference, id) = (
                    try row.decode("reference", as: String.self), try row.decode("delivery_id", as: String.self)
                )
                return "\(reference) \(id)\(isContested ? " contested" : "")"
            }
            let expected = [
                "\(single.lowercased()) \(first.id)", "\(doubled.lowercased()) \(second.id)",
                "\(claimed.lowercased()) \(other.id) contested", "D-7 \(first.id)",
            ]
            #expect(Set(kept) == Set(expected) && kept.count == expected.count)
        }
    }

    @Test("A source that is deleted and added again has its references, and no source of another store has its id")
    func addedAgain() async throws {
        try await PartnersUnderTest.run { partners, client in
            let store = try #require(StoreID(rawValue: "nordhavn"))
            let source = try await partners.addSource(client, .doorDash, store: store)
            let delivery = try await partners.learnDelivery()
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: "G-1042"))
            #expect(named.status == .ok)
            let path = "/v1/sources/\(source.id)"
            #expect(try await partners.send(client, .delete, path).status == .noContent)
            let other = try await partners.send(
                client, .put, path, as: .store, store: "mitte", PutSourceBody(provider: "doordash"))
            #expect(other.status == .conflict && other.problem == "source-differs")
            let again = try await partners.addSource(client, .doorDash, store: store)
            let life = ProviderLife(of: .doorDash, reference: "G-1042", from: PartnersUnderTest.start)
            #expect(try await partners.post(client, life.bodies[0], from: .doorDash, again).status == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id])

            #expect(try await partners.send(client, .delete, path).status == .noContent)
            let replaced = try await partners.send(
                client, .put, path, as: .store, store: "nordhavn", PutSourceBody(provider: "cloudevents"))
            #expect(replaced.status == .created)
            let left = try await partners.send(client, .get, "/v1/deliveries/\(delivery.id)/provider")
            #expect(try left.decode(ProviderReferencesBody.self).references.isEmpty, "it was another provider's")
        }
    }

    @Test("A token of all stores sets no reference of one store's source for another store's delivery")
    func otherStore() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash, store: StoreID(rawValue: "nordhavn"))
            let (right, wrong) = (try partners.delivery(), try partners.delivery(store: "valby"))
            for delivery in [right, wrong] { try await partners.learn(delivery) }
            func name(_ delivery: Delivery, _ reference: String, as role: Role) async throws -> HTTPResponse.Status {
                try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider", as: role,
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: reference)
                ).status
            }
            #expect(try await name(right, "G-1042", as: .store) == .ok)
            for role in [Role.store, .operator] {
                #expect(try await name(wrong, "G-1042", as: role) == .notFound)
                #expect(try await name(wrong, "G-1043", as: role) == .notFound)
            }
            let life = ProviderLife(of: .doorDash, reference: "G-1042", from: PartnersUnderTest.start)
            #expect(try await partners.post(client, life.bodies[0], from: .doorDash, source).status == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [right.id])
        }
    }

    @Test("A reference of another store's delivery is free for the right one, also once its source is added again")
    func foreign() async throws {
        try await PartnersUnderTest.run { partners, client in
            let store = try #require(StoreID(rawValue: "nordhavn"))
            let source = try await partners.addSource(client, .doorDash, store: store)
            let (right, wrong) = (try partners.delivery(), try partners.delivery(store: "valby"))
            try await partners.learn(right)
            func name(_ delivery: Delivery, _ reference: String) async throws -> HTTPResponse.Status {
                try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider", as: .store,
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: reference)
                ).status
            }
            // Before its delivery is known, it may be of any store.
            for reference in ["G-1042", "G-1043"] { #expect(try await name(wrong, reference) == .ok) }
            try await partners.learn(wrong)
            #expect(try await name(right, "G-1042") == .ok)
            // This one is known only after the source is deleted.
            let later = try partners.delivery(store: "valby")
            #expect(try await name(later, "G-1044") == .ok)
            let life = ProviderLife(of: .doorDash, reference: "G-1042", from: PartnersUnderTest.start)
            #expect(try await partners.post(client, life.bodies[0], from: .doorDash, source).status == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [right.id])

            let path = "/v1/sources/\(source.id)"
            #expect(try await partners.send(client, .delete, path).status == .noContent)
            try await partners.learn(later)
            let again = try await partners.send(
                client, .put, path, as: .store, store: "nordhavn", PutSourceBody(provider: "doordash"))
            #expect(again.status == .created)
            #expect(try await name(right, "G-1043") == .ok)
        }
    }

    @Test("The reference of a source that is deleted, to be added again, is a successor's")
    func deletedSuccessor() async throws {
        try await PartnersUnderTest.run { partners, client in
            let uber = try await partners.addSource(client, .uber)
            let dash = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            for (source, reference) in [(uber, "del_1"), (dash, "D-1")] {
                partners.clock.advance(by: 1)
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider",
                    ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: reference))
                #expect(answer.status == .ok)
            }
            #expect(try await partners.send(client, .delete, "/v1/sources/\(dash.id)").status == .noContent)
            let cancelled = """
                {"kind":"event.delivery_status","id":"evt_1","delivery_id":"del_1","status":"canceled",
                "external_id":"\(delivery.id)"}
                """
            #expect(try await partners.post(client, cancelled, from: .uber, uber).status == .ok)
            let report = try #require(try await partners.outbox().reports.last?.report)
            #expect(report.status == .cancelled && report.successor?.rawValue == "doordash")
        }
    }
}

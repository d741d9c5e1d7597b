import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Providers' webhooks", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct InboundTests {
    @Test("A whole life, shuffled and doubled, is each report once", arguments: DeliveryProvider.allCases)
    func lives(provider: DeliveryProvider) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, provider)
            let delivery = try await partners.learnDelivery()
            let life = ProviderLife(of: provider, from: PartnersUnderTest.start.addingTimeInterval(-3_600))
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: life.reference))
            #expect(named.status == .ok)
            for body in (life.bodies + life.bodies).shuffled() {
                #expect(try await partners.post(client, body, from: provider, source).status == .ok)
            }
            let reports = try await partners.outbox().reports
            #expect(Set(reports.map(\.delivery)) == [delivery.id])
            #expect(Set(reports.map(\.report.id)).count == reports.count)
            let expected = try life.bodies.flatMap {
                try provider.events(in: Data($0.utf8), receivedAt: PartnersUnderTest.start, from: source.id)
                    .compactMap { try $0.get().report }
            }
            #expect(Set(reports.map(\.report)) == Set(expected))
            #expect(try await partners.receipts(client).allSatisfy { $0.state == .applied })
        }
    }

    @Test("What comes before anybody knows its delivery waits, and is applied once that is known")
    func waiting() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            let delivery = try partners.delivery()
            let life = ProviderLife(of: .uber, from: PartnersUnderTest.start.addingTimeInterval(-3_600))
            for body in life.bodies.prefix(3) {
                #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
            }
            #expect(try await partners.receipts(client).map(\.state) == [.waiting, .waiting, .waiting])
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: life.reference)
            let path = "/v1/deliveries/\(delivery.id)/provider"
            // Named before orders has told of the delivery: nothing is known of whose it is.
            #expect(try await partners.send(client, .put, path, reference).status == .ok)
            #expect(try await partners.outbox().reports.isEmpty)
            try await partners.learn(delivery)
            #expect(try await partners.outbox().reports.count == 3)
            #expect(try await partners.post(client, life.bodies[3], from: .uber, source).status == .ok)
            #expect(try await partners.outbox().reports.count == 4)
            #expect(try await partners.receipts(client).map(\.state).allSatisfy { $0 == .applied })
            let other = try partners.delivery()
            let taken = try await partners.send(client, .put, "/v1/deliveries/\(other.id)/provider", reference)
            #expect(taken.status == .conflict && taken.problem == "reference-in-use")
        }
    }

    @Test("Our own id of a delivery needs no naming, whether it is known before or after")
    func ownNames() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let (early, late) = (try partners.delivery(), try partners.delivery())
            try await partners.learn(early)
            for delivery in [early, late] {
                let life = ProviderLife(
                    of: .doorDash, reference: delivery.id.rawValue, from: PartnersUnderTest.start)
                #expect(try await partners.post(client, life.bodies[0], from: .doorDash, source).status == .ok)
            }
            #expect(try await partners.outbox().reports.map(\.delivery) == [early.id])
            try await partners.learn(late)
            #expect(try await partners.outbox().reports.map(\.delivery) == [early.id, late.id])
        }
    }

    @Test("A source of one store reports on no delivery of another")
    func scopedSource() async throws {
        try await PartnersUnderTest.run { partners, client in
            let mine = try #require(StoreID(rawValue: "nordhavn"))
            let source = try await partners.addSource(client, .doorDash, store: mine)
            let (own, foreign) = (try partners.delivery(), try partners.delivery(store: "mitte"))
            for delivery in [own, foreign] {
                try await partners.learn(delivery)
                let life = ProviderLife(of: .doorDash, reference: delivery.id.rawValue, from: PartnersUnderTest.start)
                #expect(try await partners.post(client, life.bodies[0], from: .doorDash, source).status == .ok)
            }
            #expect(try await partners.outbox().reports.map(\.delivery) == [own.id])
            // A store names its own deliveries alone.
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: "X-1")
            let denied = try await partners.send(
                client, .put, "/v1/deliveries/\(foreign.id)/provider", as: .store, store: "nordhavn", reference)
            #expect(denied.status == .notFound)
            // Nor one that nobody knows yet.
            let unknown = try await partners.send(
                client, .put, "/v1/deliveries/\(try partners.delivery().id)/provider", as: .store, store: "nordhavn",
                reference)
            #expect(unknown.status == .notFound)
            // Nor does one by a source of another.
            let expected: [(Delivery, String, HTTPResponse.Status)] = [
                (foreign, "mitte", .notFound), (own, "nordhavn", .ok),
            ]
            for (delivery, store, status) in expected {
                let answer = try await partners.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/provider", as: .store, store: store, reference)
                #expect(answer.status == status)
            }
        }
    }

    @Test("A store's token names no reference of a source of every store, before a report or after")
    func sharedSource() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let (right, wrong) = (try partners.delivery(), try partners.delivery(store: "valby"))
            for delivery in [right, wrong] { try await partners.learn(delivery) }
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: "G-6722")
            let squat = try await partners.send(
                client, .put, "/v1/deliveries/\(wrong.id)/provider", as: .store, store: "valby", reference)
            #expect(squat.status == .notFound)
            let life = ProviderLife(of: .doorDash, reference: "G-6722", from: PartnersUnderTest.start)
            #expect(try await partners.post(client, life.bodies[0], from: .doorDash, source).status == .ok)
            let late = try await partners.send(
                client, .put, "/v1/deliveries/\(wrong.id)/provider", as: .store, store: "valby", reference)
            #expect(late.status == .notFound)
            // Whoever speaks for every store names it.
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(right.id)/provider", as: .store, reference)
            #expect(named.status == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [right.id])
        }
    }

    @Test("What is reported under a reference that two stores claim waits until an operator decides")
    func contestedReference() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let (first, second) = (try partners.delivery(), try partners.delivery(store: "valby"))
            let sibling = try partners.delivery()
            for delivery in [first, second, sibling] { try await partners.learn(delivery) }
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: "G-1")
            let life = ProviderLife(of: .doorDash, reference: "G-1", from: PartnersUnderTest.start)
            func put(_ delivery: Delivery, as role: Role = .store) async throws -> HTTPResponse.Status {
                try await partners.send(client, .put, "/v1/deliveries/\(delivery.id)/provider", as: role, reference)
                    .status
            }
            func report(_ index: Int) async throws -> [DeliveryID] {
                #expect(try await partners.post(client, life.bodies[index], from: .doorDash, source).status == .ok)
                return try await partners.outbox().reports.map(\.delivery)
            }
            #expect(try await put(first) == .ok)
            #expect(try await put(sibling) == .conflict)
            #expect(try await report(0) == [first.id])
            #expect(try await put(second, as: .operator) == .conflict)
            #expect(try await report(1) == [first.id])
            #expect(try await partners.receipts(client, "?state=waiting").count == 1)
            // Programs settle nothing, whichever of the two deliveries they repeat.
            #expect(try await put(second) == .conflict)
            #expect(try await put(first) == .ok)
            #expect(try await report(2) == [first.id])
            #expect(try await put(second, as: .operator) == .ok)
            #expect(try await partners.outbox().reports.map(\.delivery) == [first.id, second.id, second.id])
            #expect(try await report(3).last == second.id)
        }
    }

    @Test("Positions go to whoever brings the delivery")
    func positions() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            let delivery = try await partners.learnDelivery()
            let body = """
                {"kind":"event.courier_update","id":"evt_p","external_id":"\(delivery.id)","delivery_id":"del_9",
                "location":{"lat":37.7974109,"lng":-122.424145}}
                """
            #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
            let (reports, positions) = try await partners.outbox()
            #expect(reports.isEmpty && positions.map(\.delivery) == [delivery.id])
            #expect(positions.first?.courier == nil && positions.first?.at == PartnersUnderTest.start)
            #expect(positions.first?.source == DeliveryProvider.uber.id)
        }
    }

    @Test("A batch is its events, each kept once and all found by the webhook that they came in")
    func batch() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try await partners.learnDelivery()
            let source = try await partners.addSource(client, .cloudEvents)
            let life = ProviderLife(of: .cloudEvents, reference: delivery.id.rawValue, from: PartnersUnderTest.start)
            let batch = "[" + (life.bodies + [life.bodies[0]]).joined(separator: ",") + "]"
            let answer = try await partners.post(
                client, batch, from: .cloudEvents, source,
                headers: ["content-type": "application/cloudevents-batch+json"])
            let received: ReceivedBody = try answer.decode()
            #expect(received.received == life.bodies.count)
            #expect(try await partners.outbox().reports.count == life.bodies.count)
            let receipts = try await partners.receipts(client)
            for receipt in receipts {
                let whole: ReceiptBody = try await partners.send(client, .get, "/v1/receipts/\(receipt.id)").decode()
                #expect(whole.body == batch)
            }
        }
    }

    @Test("Of two sources of CloudEvents with one id of a courier each has a courier of its own")
    func couriersOfSources() async throws {
        try await PartnersUnderTest.run { partners, client in
            for (id, store) in [("velo", "nordhavn"), ("cargo", "mitte")] {
                let delivery = try await partners.learnDelivery(store: store)
                let source = try await partners.addSource(
                    client, .cloudEvents, id: id, store: StoreID(rawValue: store))
                let body = """
                    {"specversion":"1.0","id":"1","source":"s","type":"doorstep.delivery.status",
                    "subject":"\(delivery.id)","data":{"status":"en_route","courier":{"id":"7"},
                    "position":{"latitude":55.6761,"longitude":12.5683}}}
                    """
                #expect(try await partners.post(client, body, from: .cloudEvents, source).status == .ok)
            }
            let (reports, positions) = try await partners.outbox()
            let expected = ["cloudevents-cargo_7", "cloudevents-velo_7"]
            #expect(reports.compactMap(\.report.courier?.id.rawValue).sorted() == expected)
            #expect(positions.compactMap(\.courier?.rawValue).sorted() == expected)
            #expect(positions.compactMap(\.store?.rawValue).sorted() == ["mitte", "nordhavn"])
        }
    }

    @Test("A batch whose first event is a repeat keeps its body with the first that is not")
    func batchAfterRepeat() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let bodies = ProviderLife(of: .cloudEvents, from: PartnersUnderTest.start).bodies
            _ = try await partners.post(client, bodies[0], from: .cloudEvents, source)
            let batch = "[" + bodies.joined(separator: ",") + "]"
            let answer = try await partners.post(
                client, batch, from: .cloudEvents, source,
                headers: ["content-type": "application/cloudevents-batch+json"])
            #expect(try answer.decode(ReceivedBody.self).received == bodies.count - 1)
            var kept: [String?] = []
            for receipt in try await partners.receipts(client) {
                kept.append(
                    try await partners.send(client, .get, "/v1/receipts/\(receipt.id)").decode(ReceiptBody.self).body)
            }
            #expect(kept.count(where: { $0 == batch }) == bodies.count - 1 && kept.contains(bodies[0]))
        }
    }

    @Test("Of two references that name different deliveries the first counts, and the other where the first is unknown")
    func twoReferences() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            let (own, other) = (try partners.delivery(), try partners.delivery())
            for delivery in [own, other] { try await partners.learn(delivery) }
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(other.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: "del_9"))
            #expect(named.status == .ok)
            for (index, external) in [own.id.rawValue, "G-1042"].enumerated() {
                let body = """
                    {"kind":"event.delivery_status","id":"evt_\(index)","external_id":"\(external)",
                    "delivery_id":"del_9","status":"pickup"}
                    """
                #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
            }
            #expect(try await partners.outbox().reports.map(\.delivery) == [own.id, other.id])
            #expect(try await partners.receipts(client).allSatisfy { $0.state == .applied })
        }
    }

    @Test("A new secret is accepted, and a deleted one refused, once the request is answered")
    func changedSecrets() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let body = ProviderLife(of: .doorDash, from: PartnersUnderTest.start).bodies[0]
            func status(_ secret: String) async throws -> HTTPResponse.Status {
                try await partners.post(client, body, from: .doorDash, (source.id, secret)).status
            }
            #expect(try await status(source.secret) == .ok)
            let (path, second) = ("/v1/sources/\(source.id)", "a-second-secret-of-doordash")
            let added = try await partners.send(client, .post, "\(path)/secrets", NewSecretBody(secret: second))
            #expect(added.status == .created)
            #expect(try await status(second) == .ok)
            let first = try #require(try added.decode(SourceBody.self).secrets.first)
            #expect(try await partners.send(client, .delete, "\(path)/secrets/\(first.id)").status == .noContent)
            #expect(try await status(source.secret) == .unauthorized)
            #expect(try await status(second) == .ok)
            #expect(try await partners.send(client, .delete, path).status == .noContent)
            #expect(try await status(second) == .unauthorized)
        }
    }

    @Test("Our own id is known in either case")
    func upperCase() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try partners.delivery()
            let life = ProviderLife(
                of: .doorDash, reference: delivery.id.rawValue.uppercased(), from: PartnersUnderTest.start)
            _ = try await partners.post(client, life.bodies[0], from: .doorDash, source)
            try await partners.learn(delivery)
            _ = try await partners.post(client, life.bodies[1], from: .doorDash, source)
            #expect(try await partners.outbox().reports.map(\.delivery) == [delivery.id, delivery.id])
        }
    }
}

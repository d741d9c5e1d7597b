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
            let delivery = try partners.delivery()
            try await partners.learn(delivery)
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
                try provider.events(in: Data($0.utf8), receivedAt: PartnersUnderTest.start).compactMap(\.report)
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
            // A store names its own deliveries alone, also where nobody knows yet whose one is.
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: "X-1")
            let denied = try await partners.send(
                client, .put, "/v1/deliveries/\(foreign.id)/provider", as: .store, store: "nordhavn", reference)
            #expect(denied.status == .notFound)
        }
    }

    @Test("Positions go to whoever brings the delivery")
    func positions() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            let delivery = try partners.delivery()
            try await partners.learn(delivery)
            let body = """
                {"kind":"event.courier_update","id":"evt_p","external_id":"\(delivery.id)","delivery_id":"del_9",
                "location":{"lat":37.7974109,"lng":-122.424145}}
                """
            #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
            let (reports, positions) = try await partners.outbox()
            #expect(reports.isEmpty && positions.map(\.delivery) == [delivery.id])
            #expect(positions.first?.courier == nil && positions.first?.at == PartnersUnderTest.start)
        }
    }

    // MARK: What is not as it should be

    @Test("Uber's published example is taken, and the same in other bytes is not")
    func publishedVector() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = (id: "uber", secret: "c5c26d5a-70d6-46c7-a652-d7c09825ad29")
            let put = try await partners.send(
                client, .put, "/v1/sources/uber", PutSourceBody(provider: "uber", secret: source.secret))
            #expect(put.status == .created)
            // It names no delivery, so it is authentic and unreadable: kept, and answered 200.
            let body = #"{"kind": "event.courier_update", "location": {"lat": 37.7974109, "lng": -122.424145}}"#
            #expect(try await partners.post(client, body, from: .uber, source).status == .ok)
            #expect(try await partners.receipts(client).map(\.state) == [.unreadable])
            let encodedAnew = body.replacing(": ", with: ":")
            let forged = try await partners.post(client, encodedAnew, from: .uber, source, signed: body)
            #expect(forged.status == .unauthorized && forged.problem == "forged")
        }
    }

    @Test("What is not proven is refused and kept nowhere", arguments: DeliveryProvider.allCases)
    func forged(provider: DeliveryProvider) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, provider)
            let life = ProviderLife(of: provider, from: PartnersUnderTest.start)
            var wrong = source
            wrong.secret = provider == .onfleet ? String(repeating: "0f", count: 32) : source.secret + "x"
            if provider == .cloudEvents { wrong.secret = ProviderProof.sampleSecret(of: .cloudEvents) }
            let answer = try await partners.post(client, life.bodies[0], from: provider, wrong)
            #expect(answer.status == .unauthorized && answer.problem == "forged")
            let bare = try await client.execute(
                uri: "/in/\(source.id)", method: .post,
                headers: [.contentType: ProviderProof.contentType(of: provider)],
                body: ByteBuffer(string: life.bodies[0]))
            #expect(bare.status == .unauthorized)
            #expect(try await partners.receipts(client).isEmpty)
            let exposed = partners.metrics.exposition()
            #expect(exposed.contains(#"doorstep_provider_webhooks_refused_total"#) && exposed.contains(#"reason="wrong""#))
        }
    }

    @Test("A body that was cut off or changed after it was signed is not proven", arguments: [
        DeliveryProvider.uber, .onfleet, .cloudEvents,
    ])
    func changedBody(provider: DeliveryProvider) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, provider)
            let body = ProviderLife(of: provider, from: PartnersUnderTest.start).bodies[0]
            for other in [String(body.dropLast()), body + " ", body.replacing("Sam", with: "Tam") + "\n"] {
                let answer = try await partners.post(client, other, from: provider, source, signed: body)
                #expect(answer.status == .unauthorized)
            }
        }
    }

    @Test("Events signed too long ago, or in the future, are refused; a repeat within the time changes nothing")
    func replayed() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let delivery = try partners.delivery()
            try await partners.learn(delivery)
            let body = ProviderLife(
                of: .cloudEvents, reference: delivery.id.rawValue, from: PartnersUnderTest.start
            ).bodies[0]
            for (seconds, status) in [(-301.0, 401), (301, 401), (-299, 200), (-200, 200), (0, 200)] {
                let answer = try await partners.post(
                    client, body, from: .cloudEvents, source,
                    wall: PartnersUnderTest.start.addingTimeInterval(seconds))
                #expect(answer.status.code == status, "\(seconds)")
            }
            #expect(try await partners.outbox().reports.count == 1)
            #expect(partners.metrics.exposition().contains(#"outcome="repeat""#))
            let exposed = partners.metrics.exposition()
            #expect(exposed.contains(#"reason="too_old""#) && exposed.contains(#"reason="too_new""#))
        }
    }

    @Test("An authentic body that nobody can read is kept, and answered as its provider needs")
    func unreadable() async throws {
        let deep = #"{"event_name":"#  + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
        try await PartnersUnderTest.run { partners, client in
            let doorDash = try await partners.addSource(client, .doorDash)
            let events = try await partners.addSource(client, .cloudEvents)
            for body in ["{", "17", "[]", deep, "not json", #"{"event_name":"X"}"#] {
                #expect(try await partners.post(client, body, from: .doorDash, doorDash).status == .ok, "\(body)")
                let answer = try await partners.post(client, body, from: .cloudEvents, events)
                #expect(answer.status == (body == "[]" ? .ok : .badRequest), "\(body)")
            }
            let latin = try await partners.post(
                client, #"{"event_name":"DASHER_CONFIRMED","external_delivery_id":"D"}"#, from: .doorDash, doorDash,
                headers: ["content-type": "application/json; charset=iso-8859-1"])
            #expect(latin.status == .ok)
            let kept = try await partners.receipts(client, "?state=unreadable")
            #expect(kept.count(where: { $0.source.rawValue == "doordash" }) == 7)
            #expect(kept.count(where: { $0.source.rawValue == "cloudevents" }) == 5)
            let whole: ReceiptBody = try await partners.send(client, .get, "/v1/receipts/\(kept[0].id)").decode()
            #expect(whole.body?.isEmpty == false && whole.state == .unreadable)
            // The same body once more is a repeat.
            #expect(try await partners.post(client, "{", from: .doorDash, doorDash).status == .ok)
            #expect(try await partners.receipts(client, "?state=unreadable").count == kept.count)
        }
    }

    @Test("What is too large, encoded, or of another kind is refused by its own answer")
    func refused() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let body = ProviderLife(of: .cloudEvents, from: PartnersUnderTest.start).bodies[0]
            let large = body + String(repeating: " ", count: InboundHTTP.bodyBytesMax)
            #expect(
                try await partners.post(client, large, from: .cloudEvents, source).status == .contentTooLarge)
            for headers in [
                ["content-encoding": "gzip"], ["content-type": "text/plain"],
                ["content-type": "application/json; charset=utf-16"],
            ] {
                let answer = try await partners.post(client, body, from: .cloudEvents, source, headers: headers)
                #expect(answer.status == .unsupportedMediaType && answer.problem == "unsupported-body")
            }
            #expect(
                try await partners.post(
                    client, body, from: .cloudEvents, source, headers: ["content-type": "application/json; charset=UTF-8"]
                ).status == .ok)
            let nowhere = try await partners.post(client, body, from: .cloudEvents, ("nobody", source.secret))
            #expect(nowhere.status == .notFound)
        }
    }

    @Test("Events of a provider's test mode change nothing, unless their source takes them")
    func testMode() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try partners.delivery()
            try await partners.learn(delivery)
            let live = try await partners.addSource(client, .uber)
            let trial = try await partners.addSource(client, .uber, id: "uber-test", acceptsTest: true)
            let body = """
                {"kind":"event.delivery_status","id":"evt_1","delivery_id":"\(delivery.id)","status":"delivered",
                "created":"2026-11-21T10:05:00.287Z","live_mode":false,"data":{}}
                """
            #expect(try await partners.post(client, body, from: .uber, live).status == .ok)
            #expect(try await partners.outbox().reports.isEmpty)
            #expect(try await partners.receipts(client).map(\.state) == [.quarantined])
            #expect(try await partners.post(client, body, from: .uber, trial).status == .ok)
            #expect(try await partners.outbox().reports.count == 1)
        }
    }

    @Test("A status that nobody knows is kept as text, and reported without one")
    func unknown() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try partners.delivery()
            try await partners.learn(delivery)
            let source = try await partners.addSource(client, .doorDash)
            let body = #"{"event_name":"DASHER_SANG","external_delivery_id":"\#(delivery.id)","dasher_name":"Sam"}"#
            #expect(try await partners.post(client, body, from: .doorDash, source).status == .ok)
            let report = try #require(try await partners.outbox().reports.first?.report)
            #expect(report.kind == "DASHER_SANG" && report.status == nil && report.courier == nil)
            let unknown = try await partners.receipts(client, "?unknown=true")
            #expect(unknown.map(\.kind) == ["DASHER_SANG"] && unknown.first?.state == .applied)
            #expect(partners.metrics.exposition().contains("doorstep_provider_events_unknown_total"))
        }
    }

    @Test("A batch is its events, each kept once and all found by the webhook that they came in")
    func batch() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try partners.delivery()
            try await partners.learn(delivery)
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

    @Test("An address that forges many is answered 429, while good webhooks from it are taken")
    func manyForgeries() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            var wrong = source
            wrong.secret += "x"
            let life = ProviderLife(of: .uber, from: PartnersUnderTest.start)
            var last = HTTPResponse.Status.ok
            for _ in 0..<(InboundHTTP.forgeriesBurst + 50) {
                last = try await partners.post(client, life.bodies[0], from: .uber, wrong).status
            }
            #expect(last == .tooManyRequests)
            #expect(try await partners.post(client, life.bodies[0], from: .uber, source).status == .ok)
        }
    }
}

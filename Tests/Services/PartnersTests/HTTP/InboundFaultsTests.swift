import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Messages
import NIOCore
import NIOEmbedded
import OrderDomain
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite(
    "Providers' webhooks that are not as they should be", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct InboundFaultsTests {
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
            #expect(
                exposed.contains(#"doorstep_provider_webhooks_refused_total"#) && exposed.contains(#"reason="wrong""#))
        }
    }

    @Test(
        "A body that was cut off or changed after it was signed is not proven",
        arguments: [
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
            let delivery = try await partners.learnDelivery()
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
        let deep = #"{"event_name":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
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

    @Test("Each event of a batch is kept by itself: an unreadable one is named, and another type needs no subject")
    func partsOfBatch() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let delivery = try await partners.learnDelivery()
            func event(_ id: String, _ type: String, _ more: String = "") -> String {
                #"{"specversion":"1.0","id":"\#(id)","source":"//velo","type":"\#(type)"\#(more)}"#
            }
            func status(_ id: String) -> String {
                event(id, "doorstep.delivery.status", #","subject":"\#(delivery.id)","data":{"status":"en_route"}"#)
            }
            let foreign = event("2", "velo.tyre.changed")
            let good = try await partners.post(client, "[\(foreign),\(status("1"))]", from: .cloudEvents, source)
            #expect(good.status == .ok)
            #expect(try await partners.outbox().reports.count == 1)
            // An event without a reference waits for no delivery.
            _ = try await partners.learnDelivery()
            let kept = try await partners.receipts(client, "?state=waiting")
            #expect(kept.map(\.kind) == ["velo.tyre.changed"] && kept.first?.references == [])

            let faulty = "[\(status("3")),\(event("4", "doorstep.delivery.late")),17]"
            for _ in 0..<2 {
                let answer = try await partners.post(client, faulty, from: .cloudEvents, source)
                #expect(answer.status == .badRequest && answer.problem == "malformed")
                let text = String(buffer: answer.body)
                #expect(text.contains("[1]") && text.contains("subject is missing") && text.contains("[2]"))
                #expect(!text.contains("[0]"))
            }
            #expect(try await partners.outbox().reports.count == 2)
            let unreadable = try await partners.receipts(client, "?state=unreadable")
            #expect(unreadable.map(\.kind).sorted() == ["specversion is not 1.0", "subject is missing"])
            let first = try #require(unreadable.first)
            let whole: ReceiptBody = try await partners.send(client, .get, "/v1/receipts/\(first.id)").decode()
            #expect(whole.body == faulty)
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
            for type in ["application/json", "text/plain"] {
                let binary = try await partners.post(
                    client, #"{"status":"en_route"}"#, from: .cloudEvents, source,
                    headers: ["content-type": type, "ce-specversion": "1.0", "ce-id": "1", "ce-type": "x"])
                #expect(binary.status == .unsupportedMediaType && binary.problem == "unsupported-body")
                #expect(String(buffer: binary.body).contains("binary mode"))
            }
            #expect(
                try await partners.post(
                    client, body, from: .cloudEvents, source,
                    headers: ["content-type": "application/json; charset=UTF-8"]
                ).status == .ok)
            let nowhere = try await partners.post(client, body, from: .cloudEvents, ("nobody", source.secret))
            #expect(nowhere.status == .unauthorized && nowhere.problem == "forged")
        }
    }

    @Test(
        "Whoever proves nothing is answered the same, whether there is a source of that name or not",
        arguments: DeliveryProvider.allCases)
    func unprovenAlike(provider: DeliveryProvider) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, provider)
            let old = "\(Int(PartnersUnderTest.start.timeIntervalSince1970) - 400)"
            let signed = ["webhook-id": "m", "webhook-timestamp": old, "webhook-signature": "v1,AAAA"]
            for headers in [
                [:], ["content-type": "text/plain"], ["content-encoding": "gzip"], signed,
                ["ce-specversion": "1.0", "ce-id": "1"], ["authorization": "Bearer x"],
                ["x-uber-signature": "00"], ["x-onfleet-signature": "00"],
            ] as [[String: String]] {
                for body in ["{}", "", String(repeating: "x", count: InboundHTTP.bodyBytesMax + 1)] {
                    var answers: [TestResponse] = []
                    for id in [source.id, "nobody", String(repeating: "x", count: 100)] {
                        var fields: HTTPFields = [.contentType: "application/json"]
                        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
                        answers.append(
                            try await client.execute(
                                uri: "/in/\(id)", method: .post, headers: fields, body: ByteBuffer(string: body)))
                    }
                    func visible(_ answer: TestResponse) throws -> [String: String] {
                        let json = try JSONSerialization.jsonObject(with: Data(answer.body.readableBytesView))
                        var members = (json as? [String: Any] ?? [:]).mapValues { "\($0)" }
                        members["trace_id"] = nil
                        members["challenge"] = answer.headers[.wwwAuthenticate]
                        return members
                    }
                    let first = try visible(answers[0])
                    #expect(try answers.allSatisfy { try visible($0) == first }, "\(headers), \(body.count) bytes")
                    #expect([401, 413, 415].contains(answers[0].status.code))
                }
            }
            for id in [source.id, "nobody"] {
                let token = try await client.execute(
                    uri: "/in/\(id)/token", method: .post,
                    headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: ByteBuffer(string: "grant_type=client_credentials&client_id=\(id)&client_secret=x"))
                #expect(token.status == .unauthorized && String(buffer: token.body).contains("invalid_client"))
            }
        }
    }

    @Test("Events of a provider's test mode change nothing, unless their source takes them")
    func testMode() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try await partners.learnDelivery()
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
            let delivery = try await partners.learnDelivery()
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

    @Test("Names in any script, of any length, make reports that their readers take")
    func longNames() async throws {
        let names = ["กรุงเทพมหานคร", "मुंबई", "👩‍👩‍👧‍👦", "e\u{301}", "Sam"].map { String(repeating: $0, count: 300) }
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            for (index, name) in names.enumerated() {
                let body = """
                    {"event_name":"DASHER_\(name)","external_delivery_id":"\(delivery.id)","dasher_id":\(index),
                    "created_at":"2026-11-21T17:0\(index):00Z","cancellation_reason":"\(name)","dasher_name":"\(name)"}
                    """
                let known = body.replacing("DASHER_\(name)", with: "DASHER_CONFIRMED")
                for body in [body, known] {
                    #expect(try await partners.post(client, body, from: .doorDash, source).status == .ok)
                }
                let nowhere = known.replacing(delivery.id.rawValue, with: name)
                #expect(try await partners.post(client, nowhere, from: .doorDash, source).status == .ok)
            }
            let reports = try await partners.outbox().reports
            #expect(reports.count == names.count * 2)
            for report in reports { #expect(report.fault(on: Subject.providersReported) == nil) }
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

    @Test("Forgeries from one IPv6 network count together, and those from another one by themselves")
    func forgeriesOfNetwork() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .uber)
            let head = HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/in/\(source.id)",
                headerFields: [.contentType: ProviderProof.contentType(of: .uber)])
            func status(from address: String) async throws -> HTTPResponse.Status {
                let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: "{}")))
                return try await partners.http.application.responder.respond(
                    to: request, context: try Self.context(from: address)
                ).status
            }
            for number in 0..<InboundHTTP.forgeriesBurst {
                #expect(try await status(from: "2001:db8:1:1::\(1 + number % 2)") == .unauthorized)
            }
            #expect(try await status(from: "2001:db8:1:1::3") == .tooManyRequests)
            #expect(try await status(from: "2001:db8:1:2::1") == .unauthorized)
        }
    }

    static func context(from address: String) throws -> AppContext {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        return AppContext(
            source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "tests")))
    }
}

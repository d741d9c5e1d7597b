import APIClient
import ArgumentParser
import CommandOutput
import DeliverySamples
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import Testing
import WebhookSignatures

@testable import Doorstep

@Suite("doorstep webhooks listen")
struct ListenTests {
    private static let event = ForwardedEventBody(
        headers: ["Webhook-Id": "msg_1", "webhook-timestamp": "1795280400", "webhook-signature": "v1,c2ln"],
        body: #"{"data":{},"type":"delivery.en_route"}"#)

    @Test("A line has when, which event, and what the program answered or why it did not")
    func lines() {
        func line(_ answer: LocalReceiver.Answer) -> String {
            Self.event.line(answer, at: SampleDeliveries.at(0.5), in: .gmt)
        }
        #expect(line(.status(204)) == "17:00:30  delivery.en_route  msg_1  204")
        #expect(
            line(.absent(reason: "refuses connections: nothing listens there"))
                == "17:00:30  delivery.en_route  msg_1  no answer: the program refuses connections: "
                + "nothing listens there")
    }

    @Test("An event without a type or an id has a line all the same")
    func bare() {
        let bare = ForwardedEventBody(headers: [:], body: "\u{1B}[31m")
        let line = bare.line(.status(500), at: SampleDeliveries.placedAt, in: .gmt)
        #expect(line == "17:00:00  no type  no id  500")
    }

    private func isVerified(_ event: ForwardedEventBody, by secret: String) -> Bool {
        let webhook = StandardWebhook(
            id: event.headers["webhook-id"] ?? "", timestamp: event.headers["webhook-timestamp"] ?? "",
            signature: event.headers["webhook-signature"] ?? "")
        do {
            try webhook.verify(Data(event.body.utf8), keys: [WebhookKey(secret)], now: SampleDeliveries.placedAt)
            return true
        } catch {
            return false
        }
    }

    @Test("A run has one secret, printed once: events of a connection with another are signed by it again")
    func reconnection() throws {
        let (first, second) = (WebhookKey.makeSecret().text, WebhookKey.makeSecret().text)
        var secret = ListenSecret()
        #expect(try secret.connect(first) == first)
        // The connection's own signature is passed on byte for byte.
        #expect(secret.sign(Self.event, at: SampleDeliveries.placedAt).headers == Self.event.headers)
        #expect(try secret.connect(second) == nil)
        let signed = secret.sign(Self.event, at: SampleDeliveries.placedAt)
        #expect(signed.body == Self.event.body && signed.headers["webhook-id"] == "msg_1")
        #expect(signed.headers.count == 3)
        #expect(isVerified(signed, by: first) && !isVerified(signed, by: second))
        #expect(try secret.connect(first) == nil)
        #expect(secret.sign(Self.event, at: SampleDeliveries.placedAt).headers == Self.event.headers)
    }

    @Test("A secret that was given signs from the first connection on, and is the one that is printed")
    func givenSecret() throws {
        let (given, present) = (WebhookKey.makeSecret(), WebhookKey.makeSecret())
        var secret = ListenSecret(given)
        #expect(try secret.connect(present.text) == given.text)
        #expect(isVerified(secret.sign(Self.event, at: SampleDeliveries.placedAt), by: given.text))
        #expect(throws: CommandFailure.self) { try secret.connect("whsec_!") }
    }

    @Test("A secret that is none is refused as an argument", arguments: ["whsec_!", "whpk_AAAA", "c2VjcmV0"])
    func noSecret(text: String) {
        #expect(throws: (any Error).self) {
            try WebhooksListen.parse(["--forward", "http://127.0.0.1:3000", "--secret", text])
        }
    }

    @Test("The stream is asked for what was chosen")
    func address() throws {
        let address = "http://127.0.0.1:8085"
        #expect(
            ForwardedEventStream.url(of: address, events: [], store: nil) == "\(address)/v1/webhook-events/stream")
        let store = try #require(StoreID(rawValue: "nordhavn"))
        let url = ForwardedEventStream.url(
            of: address, events: [.changed, .init(reached: .delivered)], store: store)
        #expect(
            url == "\(address)/v1/webhook-events/stream?events=delivery.changed,delivery.delivered&store=nordhavn")
    }

    @Test("The next connection continues the former one after the last event, and one that does not lacks events")
    func places() {
        var place = ListenPlace()
        let url = "http://127.0.0.1:8085/v1/webhook-events/stream"
        func note(_ name: String, _ data: String, id: String? = nil) -> Bool {
            place.note(.init(id: id, name: name, data: data))
        }
        #expect(place.url(url) == url && !place.continues)
        #expect(!note("ready", #"{"secret":"whsec_c2VjcmV0","listener":"we_1"}"#), "the first one")
        #expect(place.url(url) == url + "?listener=we_1" && place.continues)
        #expect(!note("webhook", "{}", id: "msg_7"))
        #expect(place.url(url + "?store=nordhavn") == url + "?store=nordhavn&listener=we_1&after=msg_7")
        #expect(!note("ready", #"{"secret":"whsec_c2VjcmV0","listener":"we_1"}"#, id: "msg_7"))
        place.beginAnew()
        #expect(place.url(url) == url)
        #expect(note("ready", #"{"secret":"whsec_c2VjcmV0","listener":"we_2"}"#))
        #expect(!note("ready", #"{"secret":"whsec_c2VjcmV0"}"#))
        #expect(note("ready", #"{"secret":"whsec_c2VjcmV0"}"#), "a version that continues none")
    }

    @Test("A connection that is not kept any longer is opened anew, and events are said to be missing")
    func reopened() async throws {
        let asked = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            asked.withLock { $0.append(request.head.uri) }
            if request.head.uri.contains("listener=") { return .answer(400, body: "{}") }
            return .answer(
                200, headers: ["content-type": "text/event-stream"],
                body: """
                    event: ready
                    data: {"secret":"whsec_c2VjcmV0","listener":"we_1"}

                    id: msg_7
                    event: webhook
                    data: {"body":"{}","headers":{}}


                    """)
        }
        let (items, continuation) = AsyncStream.makeStream(of: String.self)
        let seen = await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await APIClient.with { client in
                    let stream = ForwardedEventStream(
                        client: client, url: server.origin + "/v1/webhook-events/stream", token: { "token" },
                        jitter: { 1 })
                    try await stream.run { continuation.yield(Self.name($0)) }
                }
            }
            var seen: [String] = []
            for await item in items {
                seen.append(item)
                if seen.count == 5 { break }
            }
            group.cancelAll()
            return seen
        }
        #expect(seen == ["ready", "event", "lost", "missed", "ready"])
        let path = "/v1/webhook-events/stream"
        #expect(asked.withLock { Array($0.prefix(3)) } == [path, "\(path)?listener=we_1&after=msg_7", path])
        try await server.stop()
    }

    private static func name(_ item: ForwardedEventStream.Item) -> String {
        switch item {
        case .ready: "ready"
        case .event: "event"
        case .unreadable: "unreadable"
        case .lost: "lost"
        case .missed: "missed"
        }
    }

    @Test("Events that wait for a slow program are bounded; what a connection begins and ends with is never dropped")
    func slowProgram() async {
        let queue = ListenQueue()
        for _ in 0..<ListenQueue.eventsMax { #expect(queue.append(.event(Self.event))) }
        #expect(!queue.append(.event(Self.event)) && !queue.append(.unreadable(reason: "no body")))
        let connection: [ForwardedEventStream.Item] = [
            .lost(reason: "the stream has ended"), .missed, .ready(secret: "whsec_c2VjcmV0"),
        ]
        for item in connection { #expect(queue.append(item)) }
        var seen: [String] = []
        for await item in queue.items {
            queue.noteRemoval(of: item)
            seen.append(Self.name(item))
            if seen.last == "ready" { break }
        }
        let events = Array(repeating: "event", count: ListenQueue.eventsMax)
        #expect(seen == events + ["lost", "missed", "ready"])
        #expect(queue.append(.event(Self.event)))
    }

    @Test("What may be missing has its times, and the command that lists what happened")
    func missed() {
        #expect(
            ListenSession.missed(since: SampleDeliveries.at(0.5), now: SampleDeliveries.at(7.75), in: .gmt)
                == "events from 17:00:30 to 17:07:45 may be missing; doorstep ops log --since 8m has what happened")
    }

    @Test("An event of the stream is read with its body as it is, byte for byte; one of a later version is none")
    func items() {
        func item(_ name: String, _ data: String) -> ForwardedEventStream.Item? {
            ForwardedEventStream.item(.init(id: nil, name: name, data: data))
        }
        guard case .ready(let secret)? = item("ready", #"{"secret":"whsec_c2VjcmV0"}"#) else {
            Issue.record("the secret is read")
            return
        }
        #expect(secret == "whsec_c2VjcmV0")
        let data = #"{"body":"{\"name\": \"Sm\u00f8r\"}","headers":{"webhook-id":"msg_1"}}"#
        guard case .event(let event)? = item("webhook", data) else {
            Issue.record("the event is read")
            return
        }
        #expect(event.body == #"{"name": "Smør"}"# && event.headers == ["webhook-id": "msg_1"])
        guard case .unreadable? = item("webhook", "{}") else {
            Issue.record("it is not as events are")
            return
        }
        #expect(item("later", "{}") == nil)
    }
}

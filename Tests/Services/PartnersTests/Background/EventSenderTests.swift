import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WebhookSender
import WebhookSignatures
import WireCoding

@testable import Partners

@Suite("Sending events", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EventSenderTests {
    func read(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol, _ id: EndpointID
    ) async throws -> EndpointBody { try await partners.send(client, .get, "/v1/webhooks/\(id)").decode() }

    func log(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol, _ id: EndpointID
    ) async throws -> [EventDeliveryBody] {
        let page: EventDeliveriesBody = try await partners.send(client, .get, "/v1/webhooks/\(id)/deliveries").decode()
        return page.deliveries
    }

    /// Moves the clock in steps and sends what is due at each.
    func run(_ partners: PartnersUnderTest, for seconds: Double, step: Double = 60) async throws {
        var left = seconds
        while left > 0 {
            partners.clock.advance(by: min(step, left))
            left -= step
            while try await partners.parts.sender.sendDue() > 0 {}
        }
    }

    @Test("An address that is no URI is refused with the reason, and stored by no change either")
    func addresses() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            for url in ["http://h.example/<b>?", "http://h.example/a b", "http://h.example/æ"] {
                let added = try await partners.send(client, .post, "/v1/webhooks", NewEndpointBody(url: url))
                let changed = try await partners.send(
                    client, .patch, "/v1/webhooks/\(endpoint.id)", ChangedEndpointBody(url: url))
                for answer in [added, changed] {
                    #expect(answer.status == .badRequest, "\(url)")
                    #expect(String(buffer: answer.body).contains("percent-encoded"), "\(url)")
                }
            }
        }
    }

    @Test("An event is tried at once, then by the schedule, under one id and body, and is given up after ten attempts")
    func schedule() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            partners.receivers.answer(500)
            try await partners.learn(try partners.delivery())
            var waits: [Double] = []
            for _ in 0..<(RetrySchedule.attemptsMax - 1) {
                #expect(try await partners.parts.sender.sendDue() == 1)
                let delivery = try #require(try await log(partners, client, endpoint.id).first)
                let next = try #require(delivery.nextAttemptAt)
                waits.append(next.timeIntervalSince(partners.clock.now))
                #expect(delivery.state == .waiting && delivery.lastStatus == 500)
                partners.clock.advance(by: waits[waits.count - 1] - 1)
                #expect(try await partners.parts.sender.sendDue() == 0)
                partners.clock.advance(by: 1.5)
            }
            #expect(try await partners.parts.sender.sendDue() == 1)
            for (wait, delay) in zip(waits, RetrySchedule.delays) {
                #expect(wait >= delay - 0.001 && wait <= delay * (1 + RetrySchedule.jitterShare) + 0.001)
            }
            let last = try #require(try await log(partners, client, endpoint.id).first)
            #expect(last.state == .failed && last.attempts == RetrySchedule.attemptsMax && last.nextAttemptAt == nil)
            #expect(Set(partners.receivers.posted.map(\.id)).count == 1)
            #expect(Set(partners.receivers.posted.map(\.body)).count == 1)
            let whole: EventDeliveryBody = try await partners.send(
                client, .get, "/v1/webhooks/\(endpoint.id)/deliveries/\(last.event)"
            ).decode()
            #expect(whole.log?.count == RetrySchedule.attemptsMax && whole.log?.first?.answer == "because")
            #expect(whole.body == partners.receivers.posted.first.map { String(decoding: $0.body, as: UTF8.self) })
        }
    }

    @Test("A receiver that was away for a day is sent everything that happened, soon after it is back")
    func dayAway() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            partners.receivers.answer { _ in .failed(.notConnected("refused")) }
            var ids: Set<String> = []
            for _ in 0..<48 {
                var delivery = try await partners.learnDelivery()
                try await partners.change(&delivery, .status(.accepted, reason: nil))
                try await run(partners, for: 1_800, step: 300)
            }
            ids = Set(try await partners.pool.query("SELECT event_id FROM events").map { try $0.decode("event_id") })
            #expect(ids.count == 96)
            let away = try await read(partners, client, endpoint.id)
            #expect(away.state == .failing && away.waiting == 96)
            let failed = partners.receivers.posted.count
            // One attempt at a time, and never more than one a minute.
            #expect(failed <= 24 * 60)
            partners.receivers.clear()
            partners.receivers.answer(204)
            try await run(partners, for: 120, step: 61)
            #expect(Set(partners.receivers.posted.map(\.id)) == ids && partners.receivers.posted.count == 96)
            let back = try await read(partners, client, endpoint.id)
            #expect(back.state == .enabled && back.waiting == 0 && back.failingSince == nil)
        }
    }

    @Test("One that is dead keeps no other waiting")
    func deadOne() async throws {
        try await PartnersUnderTest.run { partners, client in
            let dead = try await partners.addEndpoint(client, url: "http://dead.example/")
            for index in 0..<5 { try await partners.addEndpoint(client, url: "http://alive.example/\(index)") }
            partners.receivers.answer { posted in
                posted.url.contains("dead")
                    ? .failed(.timedOut) : .answered(status: 200, excerpt: "", retryAfter: nil)
            }
            for _ in 0..<40 { try await partners.learn(try partners.delivery()) }
            while try await partners.parts.sender.sendDue() > 0 {}
            let alive = partners.receivers.posted.filter { $0.url.contains("alive") }
            #expect(alive.count == 200)
            // The first attempts were under way together before anybody knew; then it is one at a time, and paused.
            #expect(partners.receivers.posted.count - alive.count <= EndpointHealth.inFlightMax)
            #expect(try await read(partners, client, dead.id).waiting == 40)
        }
    }

    @Test("A receiver that asks for a pause is sent nothing before it is over", arguments: [429, 502, 503, 504])
    func throttled(status: Int) async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            partners.receivers.answer(status, retryAfter: .seconds(600))
            try await partners.learn(try partners.delivery())
            #expect(try await partners.parts.sender.sendDue() == 1)
            try await partners.learn(try partners.delivery())
            partners.receivers.answer(204)
            try await run(partners, for: 599, step: 30)
            #expect(partners.receivers.posted.count == 1)
            #expect(try await read(partners, client, endpoint.id).pausedUntil != nil)
            try await run(partners, for: 120, step: 60)
            #expect(partners.receivers.posted.count == 3)
        }
    }

    @Test("410 disables at once, five days without a success do, and enabling sends what waits")
    func disabled() async throws {
        try await PartnersUnderTest.run { partners, client in
            let gone = try await partners.addEndpoint(client, url: "http://gone.example/")
            let failing = try await partners.addEndpoint(client, url: "http://failing.example/")
            partners.receivers.answer { posted in
                .answered(status: posted.url.contains("gone") ? 410 : 302, excerpt: "", retryAfter: nil)
            }
            try await partners.learn(try partners.delivery())
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(try await read(partners, client, gone.id).disabledReason == "gone")
            for _ in 0..<6 {
                try await partners.learn(try partners.delivery())
                try await run(partners, for: 86_400, step: 3_600)
            }
            let disabled = try await read(partners, client, failing.id)
            #expect(disabled.state == .disabled && disabled.disabledReason == "failing")
            partners.receivers.answer(204)
            partners.receivers.clear()
            try await run(partners, for: 86_400, step: 3_600)
            #expect(partners.receivers.posted.isEmpty)
            var waiting: [String: Int] = [:]
            for id in [gone.id, failing.id] {
                let before = try await read(partners, client, id)
                waiting[before.url] = before.waiting
                let enabled: EndpointBody = try await partners.send(
                    client, .patch, "/v1/webhooks/\(id)", ChangedEndpointBody(enabled: true)
                ).decode()
                #expect(enabled.state == .enabled && enabled.disabledReason == nil)
            }
            while try await partners.parts.sender.sendDue() > 0 {}
            let counts = Dictionary(grouping: partners.receivers.posted, by: \.url).mapValues(\.count)
            #expect(counts == waiting)
            // Nothing was given up at the one that was asked once; the other had all attempts of the first events.
            #expect(waiting["http://gone.example/"] == 7)
            #expect((1..<7).contains(waiting["http://failing.example/"] ?? 0))
        }
    }

    @Test("A former secret signs beside the new one for a day, and the two versions of signatures do not mix")
    func rotation() async throws {
        try await PartnersUnderTest.run { partners, client in
            for version in NewEndpointBody.SignatureVersion.allCases {
                let endpoint = try await partners.addEndpoint(client, url: "http://x.example/", signature: version)
                let first = try #require(endpoint.secret)
                #expect(first.hasPrefix(version == .symmetric ? "whsec_" : "whpk_"))
                // The answer to the first request is lost.
                _ = try await partners.send(client, .post, "/v1/webhooks/\(endpoint.id)/secret")
                let rotated: EndpointBody = try await partners.send(
                    client, .post, "/v1/webhooks/\(endpoint.id)/secret"
                ).decode()
                let second = try #require(rotated.secret)
                #expect(second != first)
                #expect(rotated.formerSecretUntil == partners.clock.now.addingTimeInterval(86_400))
                func verified() async throws -> [Bool] {
                    partners.receivers.clear()
                    try await partners.learn(try partners.delivery())
                    while try await partners.parts.sender.sendDue() > 0 {}
                    let posted = try #require(partners.receivers.posted.first)
                    let signature = try #require(posted.headers["webhook-signature"])
                    #expect(signature.split(separator: " ").allSatisfy { $0.hasPrefix("\(version.rawValue),") })
                    let webhook = StandardWebhook(
                        id: posted.id, timestamp: try #require(posted.headers["webhook-timestamp"]),
                        signature: signature)
                    return try [first, second].map { text in
                        let key = try WebhookKey(text)
                        return (try? webhook.verify(posted.body, keys: [key], now: Date())) != nil
                    }
                }
                #expect(try await verified() == [true, true])
                partners.clock.advance(by: 86_399)
                #expect(try await verified() == [true, true])
                partners.clock.advance(by: 2)
                #expect(try await verified() == [false, true])
                for _ in 0..<4 { _ = try await partners.send(client, .post, "/v1/webhooks/\(endpoint.id)/secret") }
                let kept = try await partners.pool.query("SELECT endpoint_id FROM endpoint_secrets")
                #expect(kept.count == EndpointRepository.secretsMax)
                _ = try await partners.send(client, .delete, "/v1/webhooks/\(endpoint.id)")
            }
            let rows = try await partners.pool.query("SELECT encode(sealed, 'escape') AS sealed FROM endpoint_secrets")
            #expect(rows.isEmpty)
        }
    }

    @Test("A replay has the same id and body, is tried once, also while disabled, and counts as no failure")
    func replay() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            for _ in 0..<3 {
                try await partners.learn(try partners.delivery())
                partners.clock.advance(by: 60)
            }
            while try await partners.parts.sender.sendDue() > 0 {}
            let first = partners.receivers.posted
            partners.receivers.clear()
            let path = "/v1/webhooks/\(endpoint.id)"
            _ = try await partners.send(client, .patch, path, ChangedEndpointBody(enabled: false))
            partners.receivers.answer(500)
            for _ in 1...2 {
                let one: QueuedBody = try await partners.send(
                    client, .post, "\(path)/replay", ReplayBody(event: EventID(rawValue: first[0].id))
                ).decode()
                #expect(one.queued == 1)
            }
            try await run(partners, for: 7_200, step: 600)
            #expect(partners.receivers.posted.map(\.id) == [first[0].id])
            #expect(partners.receivers.posted.map(\.body) == [first[0].body])
            let after = try await read(partners, client, endpoint.id)
            #expect(after.failingSince == nil && after.disabledReason == "asked" && after.waiting == 0)
            partners.receivers.clear()
            partners.receivers.answer(204)
            for _ in 1...2 {
                let range: QueuedBody = try await partners.send(
                    client, .post, "\(path)/replay",
                    ReplayBody(
                        from: PartnersUnderTest.start.addingTimeInterval(30),
                        to: PartnersUnderTest.start.addingTimeInterval(90))
                ).decode()
                #expect(range.queued == 1)
            }
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(partners.receivers.posted.count == 1)
            let missing = try await partners.send(
                client, .post, "\(path)/replay", ReplayBody(event: EventID(rawValue: "msg_nothing")))
            #expect(missing.status == .notFound)
            for body in [
                ReplayBody(), ReplayBody(event: EventID(rawValue: "x"), from: PartnersUnderTest.start),
                ReplayBody(from: PartnersUnderTest.start, to: PartnersUnderTest.start),
                ReplayBody(from: PartnersUnderTest.start, to: PartnersUnderTest.start.addingTimeInterval(31 * 86_400)),
            ] {
                #expect(try await partners.send(client, .post, "\(path)/replay", body).status == .badRequest)
            }
        }
    }

    @Test("What one process leased and never sent, another sends after the lease")
    func lostLease() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            try await partners.learn(try partners.delivery())
            let quota = SenderCapacity.LeaseQuota(
                queue: .init(endpoint: endpoint.id, isReplay: false), rows: 8, isPart: false,
                share: .init(store: nil, isQuick: false), leased: 0, shareLeased: 0, shareMax: 8)
            let leased = try await EventRepository.lease(
                [quota], within: SenderCapacity(.init(total: 256)), at: partners.clock.now, for: .seconds(60),
                by: UUID(), on: partners.pool)
            #expect(leased.count == 1)
            #expect(try await partners.parts.sender.sendDue() == 0)
            // Leases are of the database's clock; this one has run out.
            try await partners.pool.execute("UPDATE event_deliveries SET leased_until = '-infinity'")
            #expect(try await partners.parts.sender.sendDue() == 1)
            // What the first writes afterwards is of a lease that is not its own any more.
            let late = EventRepository.Settled(
                leased: leased[0], state: .failed, dueAt: partners.clock.now,
                attempt: AttemptBody(at: partners.clock.now, milliseconds: 1, status: 500, error: nil, answer: nil))
            try await partners.pool.batch(EventRepository.settle([late]))
            #expect(try await log(partners, client, endpoint.id).map(\.state) == [.delivered])
        }
    }

    @Test("An endpoint that was removed is gone at once, and its rows with the next retention")
    func removed() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            partners.receivers.answer(500)
            try await partners.learn(try partners.delivery())
            #expect(try await partners.parts.sender.sendDue() == 1)
            #expect(try await partners.send(client, .delete, "/v1/webhooks/\(endpoint.id)").status == .noContent)
            #expect(try await partners.send(client, .get, "/v1/webhooks/\(endpoint.id)").status == .notFound)
            partners.clock.advance(by: 3_600)
            try await partners.learn(try partners.delivery())
            #expect(try await partners.parts.sender.sendDue() == 0)
            _ = try await EventRepository.deleteRemovedEndpoints(rowsMax: 100, on: partners.pool)
            for table in ["endpoints", "endpoint_secrets", "event_deliveries", "attempts"] {
                #expect(try await partners.pool.query("SELECT FROM \(raw: table)").isEmpty, "\(table)")
            }
        }
    }

    @Test("A waiting queue is leased in parts, however long it is")
    func bounded() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            try await partners.learn(try partners.delivery())
            try await partners.pool.execute(
                """
                INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
                SELECT endpoint_id, event_id, true, due_at, created_at FROM event_deliveries, generate_series(1, 500)
                """)
            #expect(try await partners.parts.sender.sendDue() <= EndpointHealth.inFlightMax + 1)
            #expect(try await read(partners, client, endpoint.id).waiting >= 490)
        }
    }
}

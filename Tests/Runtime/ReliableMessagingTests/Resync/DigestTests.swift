import Foundation
import Logging
import Messages
import NatsClient
import Synchronization
import TestSupport
import Testing
import WireCoding

@testable import ReliableMessaging

@Suite("Digests over a broker", .tags(.integration), .timeLimit(.minutes(10)))
struct DigestTests {
    private func object(_ id: String, _ version: Int) -> RepublishableObject {
        RepublishableObject(id: id, revisions: ["resync.news": PublishedRevision(id: id, version: version)])
    }

    private func withResponder(
        lacking: @escaping DigestResponder.Lacking, _ body: (NatsClient) async throws -> Void
    ) async throws {
        let server = try PrivateNats()
        try await server.start()
        let (reader, writer) = (
            NatsClient(server.configuration, logger: .silent), NatsClient(server.configuration, logger: .silent)
        )
        try await reader.connect()
        try await writer.connect()
        let responder = DigestResponder(reader, subject: "resync.news", logger: .silent, lacking: lacking)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await responder.run() }
            try await until("the reader listens") {
                (try? await writer.request([], to: "resync.news", timeout: .seconds(5))) != nil
            }
            try await body(writer)
            group.cancelAll()
        }
        await reader.close()
        await writer.close()
        await server.stop()
    }

    @Test("A reader answers which revisions it lacks, and only those are returned")
    func answered() async throws {
        try await withResponder { revisions in
            revisions.indices.filter { revisions[$0].version > 2 }
        } _: { writer in
            let requester = DigestRequester(writer, logger: .silent)
            let lacking = try await requester.lacking(of: [
                object("a", 2), object("b", 3), object("c", 1), object("d", 9),
            ])
            #expect(lacking.map(\.id) == ["b", "d"])
        }
    }

    @Test("What is no digest, or has a fault, is refused with the reason")
    func faults() async throws {
        try await withResponder { _ in
            Issue.record("it was compared")
            return []
        } _: { writer in
            let bad = try [UInt8](WireJSON.encode(RevisionDigest([PublishedRevision(id: "", version: 1)])))
            for (payload, fault) in [(Array("?".utf8), "it is no digest"), (bad, "an id is none")] {
                let reply = try await writer.request(payload, to: "resync.news")
                let answer = try WireJSON.decode(LackingRevisions.self, from: Data(reply.payload))
                #expect(answer.fault == fault && answer.places.isEmpty)
            }
        }
    }

    @Test(
        "What is to be answered elsewhere than to askers is passed over: an asker chooses no subject of another's",
        arguments: [
            "orders.delivery-changed.x", "$JS.API.STREAM.PURGE.ORDERS", "answersx.y", "answers.orders.x.y",
            "_INBOX_orders.x.y", nil,
        ])
    func forgedReply(_ reply: String?) async throws {
        let (lines, compared) = (LogLines(), Log<Int>())
        let nats = NatsClient(NatsConfiguration(servers: ["nats://127.0.0.1:1"]), logger: .silent)
        let responder = DigestResponder(nats, subject: "resync.news", logger: lines.logger) { revisions in
            compared.append(revisions.count)
            return []
        }
        let digest = try [UInt8](WireJSON.encode(RevisionDigest([PublishedRevision(id: "a", version: 1)])))
        await responder.reply(to: NatsMessage(subject: "resync.news", payload: digest, reply: reply))
        let isOfAsker = ["answers.orders.x.y", "_INBOX_orders.x.y"].contains(reply)
        #expect(compared.all.isEmpty != isOfAsker)
        #expect(lines.all.contains { $0.hasPrefix("warning") } != isOfAsker)
    }

    @Test(
        "A reader that did not answer is asked again after half a minute, and counts as lacking everything until then")
    func askedAgain() async throws {
        let asked = Log<String>()
        let clock = Mutex(ContinuousClock.now)
        let requester = DigestRequester(logger: .silent, now: { clock.withLock { $0 } }) { _, subject in
            asked.append(subject)
            guard asked.all.count > 1 else { throw HandlerFailure() }
            return Array(#"{"schema":1,"places":[]}"#.utf8)
        }
        func lacking() async throws -> Int { try await requester.lacking(of: [object("a", 2), object("b", 3)]).count }
        for (seconds, count, requests) in [(0, 2, 1), (29, 2, 1), (1, 0, 2), (0, 0, 3)] {
            clock.withLock { $0 += .seconds(seconds) }
            let found = try await lacking()
            #expect(found == count && asked.all.count == requests)
        }
    }

    @Test("Without a reader everything is lacking, at once")
    func noReader() async throws {
        let server = try PrivateNats()
        try await server.start()
        let writer = NatsClient(server.configuration, logger: .silent)
        try await writer.connect()
        let requester = DigestRequester(logger: .silent) { payload, subject in
            // Long, so that only an answer of the server's own can be what ends it.
            try await writer.request(payload, to: subject, timeout: .seconds(500)).payload
        }
        let lacking = try await requester.lacking(of: [object("a", 2), object("b", 3)])
        #expect(lacking.map(\.id) == ["a", "b"])
        await writer.close()
        await server.stop()
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Listeners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ListenerRegistryTests {
    private static let caller = "operator ada"

    /// Adds a listener as a request for a stream does.
    private func add(_ partners: PartnersUnderTest) async throws -> EndpointID {
        try await partners.parts.endpoints.add(NewEndpointBody(url: ""), store: nil, kind: .listener).0.id
    }

    private func beat(_ partners: PartnersUnderTest, times: Int = ListenerRegistry.heartbeatSeconds) async {
        for _ in 0..<times { await partners.parts.listeners.beat() }
    }

    private func rows(_ partners: PartnersUnderTest) async throws -> Set<String> {
        let rows = try await partners.pool.query("SELECT endpoint_id FROM endpoints")
        return Set(try rows.map { try $0.decode("endpoint_id", as: String.self) })
    }

    @Test("A stream whose listener is gone ends with the next heartbeat, and the others go on")
    func gone() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let (one, other) = (try await add(partners), try await add(partners))
            let mine = partners.parts.listeners.open(one, caller: Self.caller)
            let others = partners.parts.listeners.open(other, caller: Self.caller)
            // As another process does where this one could not note it for a minute.
            try await EndpointRepository.delete(one, on: partners.pool)
            await beat(partners)
            #expect(await mine.signal.next() == nil)
            #expect(others.signal.isHeartbeatDue)
            #expect(await others.signal.next() == .events)
            #expect(try await rows(partners) == [other.rawValue])
        }
    }

    @Test("An open stream is noted before what was not noted in time is deleted, however late it is")
    func notedLate() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let (open, left) = (try await add(partners), try await add(partners))
            let slot = partners.parts.listeners.open(open, caller: Self.caller)
            try await partners.pool.execute("UPDATE endpoints SET open_until = '-infinity'")
            await beat(partners, times: ListenerRegistry.heartbeatSeconds - 1)
            #expect(try await rows(partners) == [open.rawValue, left.rawValue])
            await beat(partners, times: 1)
            #expect(try await rows(partners) == [open.rawValue])
            #expect(await slot.signal.next() == .events)
        }
    }

    @Test("A stream that has closed gives its place back at once, and its row goes with the next beat")
    func closed() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let listeners = partners.parts.listeners
            let id = try await add(partners)
            var mine = [listeners.open(id, caller: Self.caller)]
            let others = try (1..<ListenerRegistry.listenersPerCallerMax).map { number in
                listeners.open(try #require(EndpointID(rawValue: "we_\(number)")), caller: Self.caller)
            }
            #expect(mine.count + others.count == ListenerRegistry.listenersPerCallerMax)
            #expect(!listeners.reserve(for: Self.caller) && listeners.reserve(for: "operator mira"))
            mine.removeAll()
            #expect(listeners.openStreams == others.count)
            // A place that is kept is taken until it is given back.
            #expect(listeners.reserve(for: Self.caller) && !listeners.reserve(for: Self.caller))
            listeners.release(Self.caller)
            #expect(listeners.reserve(for: Self.caller))
            #expect(try await rows(partners) == [id.rawValue])
            await beat(partners, times: 1)
            #expect(try await rows(partners).isEmpty)
        }
    }

    @Test("A program whose stream has ended opens another one, which brings what happens from then on")
    func opensAnother() async throws {
        try await PartnersUnderTest.run { partners, client in
            #expect(try await stream(partners, client).contains("event: ready\n"))
            let (missed, sent) = (try partners.delivery(), try partners.delivery())
            try await partners.learn(missed)
            let text = try await stream(partners, client) { try await partners.learn(sent) }
            #expect(text.split(separator: "\n").count { $0 == "event: webhook" } == 1)
            #expect(text.contains(sent.id.rawValue) && !text.contains(missed.id.rawValue))
        }
    }

    @Test(
        "A caller whose places are all taken or kept is answered 429, and a stream keeps its place no longer than it opens"
    )
    func limit() async throws {
        try await PartnersUnderTest.run { partners, client in
            let listeners = partners.parts.listeners
            for _ in 0..<ListenerRegistry.listenersPerCallerMax { #expect(listeners.reserve(for: Self.caller)) }
            let refused = try await partners.send(client, .get, "/v1/webhook-events/stream")
            #expect(refused.status == .tooManyRequests)
            #expect(try await rows(partners).isEmpty)
            listeners.release(Self.caller)
            #expect(try await stream(partners, client).contains("event: ready\n"))
            #expect(listeners.reserve(for: Self.caller) && !listeners.reserve(for: Self.caller))
        }
    }

    /// What a stream brings until its listener is gone.
    private func stream(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol,
        meanwhile: @Sendable () async throws -> Void = {}
    ) async throws -> String {
        let listeners = partners.parts.listeners
        let reading = Task {
            String(buffer: try await partners.send(client, .get, "/v1/webhook-events/stream").body)
        }
        while listeners.openStreams < 1 { await Task.yield() }
        try await meanwhile()
        // What was taken out of the queue is written, even if the stream is to end then.
        while try await !partners.pool.query("SELECT 1 FROM event_deliveries").isEmpty { await Task.yield() }
        try await partners.pool.execute("DELETE FROM endpoints")
        await beat(partners)
        let text = try await reading.value
        while listeners.openStreams > 0 { await Task.yield() }
        return text
    }
}

import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Partners

@Suite("Listeners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ListenerUpkeepTests {
    private static let caller = "operator ada"

    /// Opens the stream of a listener, and writes its row, as a request for a stream does.
    private func open(_ partners: PartnersUnderTest) async throws -> FollowEvents.Following {
        try #require(try await partners.parts.followEvents.open([], of: nil, for: Self.caller))
    }

    private func rows(_ partners: PartnersUnderTest) async throws -> Set<String> {
        let rows = try await partners.pool.query("SELECT endpoint_id FROM endpoints")
        return Set(try rows.map { try $0.decode("endpoint_id", as: String.self) })
    }

    @Test("A stream whose listener is gone ends with the next note, and the others go on")
    func gone() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let (mine, others) = (try await open(partners), try await open(partners))
            // As another process does where this one could not note it for a minute.
            try await EndpointRepository.delete(mine.endpoint, on: partners.pool)
            await partners.parts.upkeep.poll()
            await partners.parts.upkeep.noteOpen()
            #expect(await mine.slot.signal.next() == nil)
            #expect(await others.slot.signal.next() == .events)
            #expect(try await rows(partners) == [others.endpoint.rawValue])
        }
    }

    @Test("A stream goes on whose listener's row is not written yet, and is sent heartbeats")
    func notStored() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let time = TimeByTest()
            let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            let listeners = OpenListeners(logger: logger, elapsed: { time.now })
            let upkeep = ListenerUpkeep(listeners: listeners, pool: partners.pool, logger: logger)
            let endpoint = partners.parts.endpoints.makeID()
            let slot = try #require(listeners.open(endpoint, for: Self.caller))
            await upkeep.noteOpen()
            time.advance(by: .seconds(15))
            listeners.streams.beat()
            #expect(await slot.signal.next() == .heartbeat)
            listeners.stored(endpoint)
            await upkeep.noteOpen()
            #expect(await slot.signal.next() == nil)
        }
    }

    @Test("An open stream is noted before what was not noted in time is deleted, however late it is")
    func notedLate() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let open = try await open(partners)
            let left = try await partners.parts.endpoints.add(
                NewEndpointBody(url: ""), store: nil, kind: .listener
            ).0.id
            try await partners.pool.execute("UPDATE endpoints SET open_until = '-infinity'")
            await partners.parts.upkeep.poll()
            #expect(try await rows(partners) == [open.endpoint.rawValue, left.rawValue])
            await partners.parts.upkeep.noteOpen()
            #expect(try await rows(partners) == [open.endpoint.rawValue])
            #expect(await open.slot.signal.next() == .events)
        }
    }

    @Test("A stream that has closed gives its place back at once, and its row goes with the next poll")
    func closed() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let listeners = partners.parts.listeners
            func place(for caller: String = Self.caller) -> StreamSlot? {
                listeners.open(partners.parts.endpoints.makeID(), for: caller)
            }
            var mine = [try await open(partners)]
            let id = mine[0].endpoint
            let others = (1..<Listener.perCallerMax).compactMap { _ in place() }
            #expect(mine.count + others.count == Listener.perCallerMax)
            #expect(place() == nil && place(for: "operator mira") != nil)
            mine.removeAll()
            #expect(listeners.streams.count == others.count)
            let last = place()
            #expect(last != nil && place() == nil)
            #expect(try await rows(partners) == [id.rawValue])
            await partners.parts.upkeep.poll()
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

    @Test("A caller whose places are all taken is answered 429, and a stream keeps its place no longer than it is open")
    func limit() async throws {
        try await PartnersUnderTest.run { partners, client in
            let listeners = partners.parts.listeners
            func place() -> StreamSlot? { listeners.open(partners.parts.endpoints.makeID(), for: Self.caller) }
            var slots = (0..<Listener.perCallerMax).compactMap { _ in place() }
            #expect(slots.count == Listener.perCallerMax)
            let refused = try await partners.send(client, .get, "/v1/webhook-events/stream")
            #expect(refused.status == .tooManyRequests)
            #expect(try await rows(partners).isEmpty)
            slots.removeLast()
            #expect(try await stream(partners, client).contains("event: ready\n"))
            let last = place()
            #expect(last != nil && place() == nil)
        }
    }

    /// What a stream brings until its listener is gone.
    private func stream(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol,
        meanwhile: @Sendable () async throws -> Void = {}
    ) async throws -> String {
        let streams = partners.parts.listeners.streams
        let before = streams.count
        let reading = Task {
            String(buffer: try await partners.send(client, .get, "/v1/webhook-events/stream").body)
        }
        while !streams.all.contains(where: \.reader.isStored) { await Task.yield() }
        try await meanwhile()
        // What was taken out of the queue is written, even if the stream is to end then.
        while try await !partners.pool.query("SELECT 1 FROM event_deliveries").isEmpty { await Task.yield() }
        try await partners.pool.execute("DELETE FROM endpoints")
        await partners.parts.upkeep.noteOpen()
        let text = try await reading.value
        while streams.count > before { await Task.yield() }
        return text
    }
}

/// Time that a test moves.
private final class TimeByTest: Sendable {
    private let instant = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock(\.self) }
    func advance(by duration: Duration) { instant.withLock { $0 += duration } }
}

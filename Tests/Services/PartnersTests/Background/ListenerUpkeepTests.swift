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
import TextCoding

@testable import Partners

@Suite("Listeners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ListenerUpkeepTests {
    private static let caller = "operator ada"

    /// Opens the stream of a listener, and writes its row, as a request for a stream does.
    private func open(_ partners: PartnersUnderTest) async throws -> FollowEvents.Following {
        try #require(try await partners.parts.followEvents.open([], of: nil, for: Self.caller))
    }

    /// A stream of a listener that no row has yet.
    private func newStream(_ partners: PartnersUnderTest) -> ListenerStream {
        ListenerStream(listener: partners.parts.endpoints.makeID(), id: UUID())
    }

    private func rows(_ partners: PartnersUnderTest) async throws -> Set<String> {
        let rows = try await partners.pool.query("SELECT endpoint_id FROM endpoints")
        return Set(try rows.map { try $0.decode("endpoint_id", as: String.self) })
    }

    @Test("A stream whose listener is gone ends with the next note, and the others go on")
    func gone() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let (mine, others) = (try await open(partners), try await open(partners))
            // As another process does where this one could not note it for minutes.
            try await EndpointRepository.remove(mine.stream.listener, at: partners.clock.now, on: partners.pool)
            await partners.parts.upkeep.poll()
            await partners.parts.upkeep.noteOpen()
            #expect(await mine.slot.signal.next() == nil)
            #expect(await others.slot.signal.next() == .events)
            #expect(try await rows(partners) == [others.stream.listener.rawValue])
        }
    }

    @Test("An event that was queued before a stream begins comes with its first poll, which no wake need follow")
    func queuedBefore() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let following = try await open(partners)
            try await partners.learn(try partners.delivery())
            var stream = ListenStream(following, partners.parts.followEvents, wallNow: { partners.clock.now })
            #expect(try await stream.next()?.map(\.event) == ["ready", "webhook"])
            #expect(try await stream.next() == [])
        }
    }

    @Test("A stream goes on whose listener's row is not written yet, and is sent heartbeats")
    func notStored() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let time = ElapsedTime()
            let listeners = OpenListeners(logger: .silent, elapsed: { time.now })
            let upkeep = ListenerUpkeep(
                listeners: listeners, pool: partners.pool, clock: partners.clock.domain, logger: .silent)
            let stream = newStream(partners)
            let slot = try #require(listeners.open(stream, for: Self.caller))
            await upkeep.noteOpen()
            time.advance(by: .seconds(15))
            listeners.streams.beat()
            #expect(await slot.signal.next() == .heartbeat)
            listeners.stored(stream)
            await upkeep.noteOpen()
            #expect(await slot.signal.next() == nil)
        }
    }

    @Test("An open stream is noted before what was not noted in time is deleted, however late it is")
    func notedLate() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let open = try await open(partners)
            let left = try await partners.parts.endpoints.add(
                NewEndpointBody(url: ""), store: nil, for: newStream(partners)
            ).0.id
            try await partners.pool.execute("UPDATE endpoints SET open_until = '-infinity'")
            await partners.parts.upkeep.poll()
            #expect(try await rows(partners) == [open.stream.listener.rawValue, left.rawValue])
            await partners.parts.upkeep.noteOpen()
            #expect(try await rows(partners) == [open.stream.listener.rawValue])
            #expect(await open.slot.signal.next() == .events)
        }
    }

    @Test("A stream that has closed gives its place back at once, and its listener is kept for minutes")
    func closed() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let listeners = partners.parts.listeners
            func place(for caller: String = Self.caller) -> StreamSlot? {
                listeners.open(newStream(partners), for: caller)
            }
            var mine = [try await open(partners)]
            let id = mine[0].stream.listener
            let others = (1..<Listener.perCallerMax).compactMap { _ in place() }
            #expect(mine.count + others.count == Listener.perCallerMax)
            #expect(place() == nil && place(for: "operator mira") != nil)
            mine.removeAll()
            #expect(listeners.streams.count == others.count)
            let last = place()
            #expect(last != nil && place() == nil)
            #expect(try await rows(partners) == [id.rawValue])
            await partners.parts.upkeep.poll()
            await partners.parts.upkeep.noteOpen()
            #expect(try await rows(partners) == [id.rawValue])
            #expect(try await EndpointRepository.subscriptions(openOnly: true, on: partners.pool).isEmpty)
            #expect(try await EndpointRepository.subscriptions(on: partners.pool).map(\.endpoint) == [id])
            try await partners.pool.execute(
                "UPDATE endpoints SET open_until = open_until - make_interval(secs => \(KeptListeners.seconds))")
            await partners.parts.upkeep.noteOpen()
            #expect(try await rows(partners).isEmpty)
        }
    }

    @Test("A stream continues a broken one with what its program did not receive, each event once and oldest first")
    func continued() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let follow = partners.parts.followEvents
            let broken = try await open(partners)
            let deliveries = try (0..<3).map { _ in try partners.delivery() }
            try await partners.learn(deliveries[0])
            let received = try await follow.dequeueEvents(for: broken).map(\.event)
            // On their way while the connection breaks, and after that.
            try await partners.learn(deliveries[1])
            let lost = try await follow.dequeueEvents(for: broken).map(\.event)
            try await partners.learn(deliveries[2])
            #expect(!received.isEmpty)
            let former = FollowEvents.Former(listener: broken.stream.listener, last: received.last)
            let next = try #require(try await follow.open([], of: nil, for: Self.caller, continuing: former))
            #expect(next.secret == broken.secret && next.stream.listener == broken.stream.listener)
            // The former stream ends, and has nothing of the queue any more.
            #expect(await broken.slot.signal.next() == nil)
            #expect(try await follow.dequeueEvents(for: broken).isEmpty)
            let events = try await follow.dequeueEvents(for: next).map(\.event)
            #expect(!lost.isEmpty && events.starts(with: lost) && events.count > lost.count)
            #expect(Set(events).count == events.count && Set(events).isDisjoint(with: received))
            // Broken before anything came: the same place holds.
            let again = try #require(try await follow.open([], of: nil, for: Self.caller, continuing: former))
            #expect(try await follow.dequeueEvents(for: again).map(\.event) == events)
        }
    }

    @Test("The end of a former stream closes nothing of the stream that continues its listener")
    func formerEnd() async throws {
        try await PartnersUnderTest.run { partners, _ in
            var broken = [try await open(partners)]
            let listener = broken[0].stream.listener
            let next = try #require(
                try await partners.parts.followEvents.open(
                    [], of: nil, for: Self.caller, continuing: .init(listener: listener, last: nil)))
            broken.removeAll()
            await partners.parts.upkeep.poll()
            #expect(
                try await EndpointRepository.subscriptions(openOnly: true, on: partners.pool).map(\.endpoint)
                    == [next.stream.listener])
        }
    }

    @Test("A stream that cannot be continued without a gap is refused, and leaves the listener as it is")
    func notContinued() async throws {
        try await PartnersUnderTest.run { partners, client in
            let follow = partners.parts.followEvents
            let broken = try await open(partners)
            let id = broken.stream.listener
            try await partners.learn(try partners.delivery())
            let received = try await follow.dequeueEvents(for: broken).map(\.event)
            let (last, unknown) = (try #require(received.last), try #require(EventID(rawValue: "msg_unknown")))
            let store = try #require(StoreID(rawValue: "nordhavn"))
            for (types, store, former) in [
                ([.changed], nil, FollowEvents.Former(listener: id, last: last)),
                ([], store, .init(listener: id, last: last)), ([], nil, .init(listener: id, last: unknown)),
                ([], nil, .init(listener: partners.parts.endpoints.makeID(), last: nil)),
            ] as [([WebhookEventType], StoreID?, FollowEvents.Former)] {
                await #expect(throws: FollowEvents.Refusal.notKept(former.listener)) {
                    _ = try await follow.open(types, of: store, for: Self.caller, continuing: former)
                }
            }
            #expect(
                try await ListenerRepository.noteOpen(
                    broken.stream, seconds: ListenerStream.openSeconds, on: partners.pool))
            for (query, field) in [
                ("listener=\(id.rawValue)&after=msg_unknown", "query listener"), ("after=msg_1", "query after"),
            ] {
                let refused = try await partners.send(client, .get, "/v1/webhook-events/stream?\(query)")
                #expect(refused.status == .badRequest)
                #expect(String(buffer: refused.body).contains(field))
            }
            // Whoever may see one store continues no listener of all stores.
            let foreign = try await partners.send(
                client, .get, "/v1/webhook-events/stream?listener=\(id.rawValue)&after=\(last.rawValue)",
                store: "nordhavn")
            #expect(foreign.status == .badRequest)
        }
    }

    @Test("A listener whose secret was encrypted by a key that is dropped since cannot be continued")
    func droppedKey() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let broken = try await open(partners)
            let former = FollowEvents.Former(listener: broken.stream.listener, last: nil)
            let present = try SecretBox(keys: [2: Array(repeating: 8, count: 32)], encrypting: 2)
            let follow = partners.replica(box: present).followEvents
            await #expect(throws: FollowEvents.Refusal.notKept(former.listener)) {
                _ = try await follow.open([], of: nil, for: Self.caller, continuing: former)
            }
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
            func place() -> StreamSlot? { listeners.open(newStream(partners), for: Self.caller) }
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
    ///
    /// - Parameter meanwhile: has an event queued for it; nil for any event.
    private func stream(
        _ partners: PartnersUnderTest, _ client: any TestClientProtocol,
        meanwhile: (@Sendable () async throws -> Void)? = nil
    ) async throws -> String {
        let streams = partners.parts.listeners.streams
        let before = streams.count
        let reading = Task {
            String(buffer: try await partners.send(client, .get, "/v1/webhook-events/stream").body)
        }
        while !streams.all.contains(where: \.reader.isStored) { await Task.yield() }
        if let meanwhile { try await meanwhile() } else { _ = try await partners.learnDelivery() }
        // A stream that has emptied the queue has begun, and writes what was in it even if it is to end then.
        let waiting: SQL = "SELECT 1 FROM event_deliveries WHERE state = 'waiting'"
        while try await !partners.pool.query(waiting).isEmpty { await Task.yield() }
        try await partners.pool.execute("DELETE FROM endpoints")
        await partners.parts.upkeep.noteOpen()
        let text = try await reading.value
        while streams.count > before { await Task.yield() }
        return text
    }
}

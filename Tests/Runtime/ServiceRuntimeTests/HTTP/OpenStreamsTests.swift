import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// Somebody who reads streams, with a count that the service keeps of them.
private struct Reader: StreamReader {
    let owner: String
    var count = 0
}

@Suite("Open streams")
struct OpenStreamsTests {
    private typealias Streams = OpenStreams<String, Reader>

    private let time = ElapsedTime()

    private func streams(
        changed: @escaping @Sendable (Streams.Change, Streams.Table) -> Void = { _, _ in }
    ) -> Streams {
        let time = time
        return OpenStreams("streams of a test", logger: .silent, elapsed: { time.now }, changed: changed)
    }

    private func open(_ streams: Streams, _ topic: String, for owner: String = "mira", lifetime: Duration? = nil)
        throws -> StreamSlot
    {
        try #require(streams.open(topic, for: Reader(owner: owner), lifetime: lifetime) { _ in .admitted() })
    }

    @Test("A stream is admitted by what is open of its topic and of its owner, and counts while its slot is held")
    func admission() throws {
        let streams = streams()
        var slots = [try open(streams, "a"), try open(streams, "b"), try open(streams, "b", for: "noor")]
        let refused = streams.open("b", for: Reader(owner: "mira")) { open in
            #expect(open.count(of: "mira") == 2 && open.count(of: "noor") == 1 && open.count(of: "ada") == 0)
            #expect(open.streams(of: "b").map(\.reader.owner) == ["mira", "noor"])
            return .refused
        }
        #expect(refused == nil && streams.count == 3 && Set(streams.topics) == ["a", "b"])
        #expect(streams.topics(of: "mira") == ["a", "b"] && streams.topics(of: "noor") == ["b"])
        slots.removeAll()
        #expect(streams.count == 0 && streams.topics.isEmpty && streams.topics(of: "mira").isEmpty)
    }

    @Test("A stream that is opened in place of another ends it, and its slot gives no other's place back")
    func replaced() async throws {
        let changes = Mutex<[String]>([])
        let streams = streams { change, open in
            let text =
                switch change {
                case .opened(let stream): "opened \(stream.number)"
                case .closed(let stream): "closed \(stream.number)"
                }
            changes.withLock { $0.append("\(text) of \(open.count(of: "mira")), \(open.streams(of: "a").count)") }
        }
        var first: StreamSlot? = try open(streams, "a")
        let second = streams.open("a", for: Reader(owner: "mira")) { open in
            .admitted(inPlaceOf: open.streams(of: "a").map(\.number))
        }
        #expect(await first?.signal.next() == nil)
        first = nil
        #expect(streams.count == 1 && second != nil)
        #expect(changes.withLock { $0 } == ["opened 1 of 1, 1", "closed 1 of 0, 0", "opened 2 of 1, 1"])
    }

    @Test("A heartbeat comes every fifteen seconds, and a stream ends with its lifetime")
    func beats() async throws {
        let streams = streams()
        let mortal = try open(streams, "a", lifetime: .milliseconds(19_500))
        let endless = try open(streams, "b")
        for (seconds, isDue) in [(14, false), (1, true), (4, false)] {
            time.advance(by: .seconds(seconds))
            streams.beat()
            #expect(mortal.signal.isHeartbeatDue == isDue && endless.signal.isHeartbeatDue == isDue)
            if isDue {
                #expect(await mortal.signal.next() == .heartbeat)
                #expect(await endless.signal.next() == .heartbeat)
            }
        }
        time.advance(by: .seconds(1))
        streams.beat()
        #expect(await mortal.signal.next() == nil)
        time.advance(by: .seconds(10))
        streams.beat()
        #expect(await endless.signal.next() == .heartbeat)
    }

    @Test("A topic's streams are woken, at once and later, and no others")
    func wakes() async throws {
        let streams = streams()
        let (one, other) = (try open(streams, "a"), try open(streams, "b"))
        let (isOpen, isNotOpen) = (streams.notify("a"), streams.notify("c"))
        #expect(isOpen && !isNotOpen)
        #expect(await one.signal.next() == .events)
        streams.notify("a", in: .seconds(2))
        time.advance(by: .seconds(1))
        streams.beat()
        time.advance(by: .seconds(1))
        streams.beat()
        #expect(await one.signal.next() == .events)
        one.notify(in: .milliseconds(10))
        time.advance(by: .seconds(1))
        streams.beat()
        #expect(await one.signal.next() == .events)
        one.notify(in: .seconds(1))
        one.notify(in: nil)
        time.advance(by: .seconds(12))
        streams.beat()
        #expect(await one.signal.next() == .heartbeat)
        #expect(await other.signal.next() == .heartbeat, "nothing else woke it")
        streams.notifyAll()
        #expect(await other.signal.next() == .events)
    }

    @Test("What is kept of a reader changes with what wakes their stream, by topic and by number")
    func updates() async throws {
        let streams = streams()
        let (one, other) = (try open(streams, "a"), try open(streams, "a", for: "noor"))
        streams.update("a") { reader in
            reader.count += 1
            return reader.owner == "mira"
        }
        #expect(await one.signal.next() == .events)
        #expect(streams.all.map(\.reader.count) == [1, 1])
        let number = try #require(streams.all.last?.number)
        streams.update(number) { reader in
            reader.count += 1
            return true
        }
        #expect(await other.signal.next() == .events)
        #expect(streams.all.map(\.reader.count) == [1, 2])
        streams.end { $0.reader.owner == "noor" }
        #expect(await other.signal.next() == nil)
    }
}

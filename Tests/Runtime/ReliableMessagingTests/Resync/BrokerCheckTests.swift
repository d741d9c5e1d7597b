import Logging
import NatsClient
import TestSupport
import Testing

@testable import ReliableMessaging

private struct NotNow: Error {}

@Suite("Check of the broker's streams", .tags(.integration), .timeLimit(.minutes(10)))
struct BrokerCheckTests {
    private let stream = "NEWS"
    private let reader = DurableReader(stream: "NEWS", durable: "reader", subject: "news.>")

    private func withClient(_ server: PrivateNats, _ body: (NatsClient) async throws -> Void) async throws {
        let client = NatsClient(server.configuration, logger: .silent)
        try await client.connect()
        try await withTeardown({ await client.close() }) { try await body(client) }
    }

    /// Runs a broker of the test's own for the length of `body`, which gets a connected client of it too.
    private func withBroker(_ body: (PrivateNats, NatsClient) async throws -> Void) async throws {
        let server = try PrivateNats()
        try await server.start()
        try await withClient(server) { try await body(server, $0) }
        await server.stop()
    }

    private func publish(_ count: Int, _ client: NatsClient) async throws {
        let messages = (0..<count).map { _ in OutgoingMessage(subject: "news.now", payload: []) }
        for result in await client.jetStream.publish(messages, timeout: .seconds(20)) { _ = try result.get() }
    }

    /// Reads until `count` messages were acknowledged.
    private func read(_ count: Int, _ client: NatsClient) async throws {
        let done = Log<UInt64>()
        let consumer = client.jetStream.consumer(stream: stream, durable: reader.durable)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await consumer.forEach { message in
                    let sequence = message.content.streamSequence
                    try await message.settle(.acknowledge)
                    done.append(sequence)
                }
            }
            try? await until("read") { done.all.count >= count }
            group.cancelAll()
        }
        // The server has the acknowledgements: it answers after them.
        try await client.check()
    }

    @Test("A consumer that is ahead of its stream begins again, after the writers have published again")
    func setBack() async throws {
        let server = try PrivateNats()
        try await server.start()
        try await withClient(server) { client in
            try await client.jetStream.createOrUpdateStream(StreamConfiguration(name: stream, subjects: ["news.>"]))
            try await client.jetStream.createOrUpdateConsumer(
                stream: stream, ConsumerConfiguration(durable: reader.durable, filterSubject: reader.subject))
            try await publish(5, client)
            try await read(5, client)
        }
        await server.stop()
        try server.copyMessages()
        try await server.start()
        try await withClient(server) { client in
            try await publish(10, client)
            try await read(10, client)
        }
        await server.stop()
        try server.restoreMessages()
        try await server.start()

        try await withClient(server) { client in
            let republished = Log<Int>()
            let writing = BrokerCheck(client.jetStream, reads: [], writes: [reader], logger: .silent) {
                republished.append(1)
                // The first one fails, and is owed.
                if republished.all.count == 1 { throw NotNow() }
                // More than was lost: the stream overtakes its consumer.
                try await publish(20, client)
                return true
            }
            let reading = BrokerCheck(client.jetStream, reads: [reader], writes: [], logger: .silent) {
                Issue.record("it writes nothing")
                return true
            }
            try await reading.check()
            #expect(throws: ConsumersAhead.self) { try reading.checkStreams() }
            await #expect(throws: NotNow.self) { try await writing.check() }
            try await writing.check()
            #expect(republished.all.count == 2)
            try await reading.check()
            // What is published from the fault on is read, and what the stream kept before it.
            try await read(25, client)
            try await reading.check()
            try await writing.check()
            try reading.checkStreams()
            try writing.checkStreams()
            #expect(republished.all.count == 2)
            // Once more, now that the consumer has begun again.
            try await writing.check()
            #expect(republished.all.count == 3)
        }
        await server.stop()
    }

    @Test(
        "After a start and a reconnect what was written is compared, when readers are there again and once more later")
    func reconnect() async throws {
        try await withBroker { server, client in
            try await client.jetStream.createOrUpdateStream(StreamConfiguration(name: stream, subjects: ["news.>"]))
            let republished = Log<Int>()
            let check = BrokerCheck(
                client.jetStream, reads: [], writes: [reader], logger: .silent,
                connection: { client.connectionNumber }
            ) {
                republished.append(1)
                return true
            }
            var counts: [Int] = []
            for _ in 0..<6 {
                try await check.check()
                counts.append(republished.all.count)
            }
            #expect(counts == [0, 1, 1, 2, 2, 2])
            await server.stop()
            try await until("the connection is lost") { client.connectionNumber == nil }
            try await server.start()
            try await client.connect()
            for _ in 0..<6 { try await check.check() }
            #expect(republished.all.count == 4)
        }
    }

    @Test("A stream that gave a number twice has its writers publish again, and no other service")
    func numberGivenTwice() async throws {
        try await withBroker { _, client in
            let setBack = Log<Set<String>>()
            let republished = Log<Int>()
            setBack.append([stream])
            let writing = BrokerCheck(
                client.jetStream, reads: [], writes: [reader], logger: .silent,
                setBack: { republished.all.isEmpty ? setBack.all[0] : [] }
            ) {
                republished.append(1)
                return true
            }
            let reading = BrokerCheck(
                client.jetStream, reads: [reader], writes: [], logger: .silent, setBack: { setBack.all[0] }
            ) {
                Issue.record("it writes nothing")
                return true
            }
            try await reading.check()
            for _ in 0..<2 { try await writing.check() }
            #expect(republished.all.count == 1)
        }
    }

    @Test("What a reader has not read yet is not published again: its writers wait until it has")
    func behind() async throws {
        try await withBroker { _, client in
            try await client.jetStream.createOrUpdateStream(StreamConfiguration(name: stream, subjects: ["news.>"]))
            try await client.jetStream.createOrUpdateConsumer(
                stream: stream, ConsumerConfiguration(durable: reader.durable, filterSubject: reader.subject))
            try await publish(3, client)
            let republished = Log<Int>()
            let check = BrokerCheck(
                client.jetStream, reads: [], writes: [reader], logger: .silent,
                connection: { client.connectionNumber }
            ) {
                republished.append(1)
                return true
            }
            for _ in 0..<4 { try await check.check() }
            #expect(republished.all.isEmpty)
            try await read(3, client)
            try await check.check()
            #expect(republished.all.count == 1)
        }
    }

    @Test("A stream that cannot be read hides no loss of another, and degrades readiness at the second check")
    func unreadStream() async throws {
        try await withBroker { _, client in
            // The client refuses this name, so each request about the stream fails.
            let unread = DurableReader(stream: "A NAME", durable: "other", subject: "other.>")
            let republished = Log<Int>()
            let check = BrokerCheck(client.jetStream, reads: [unread], writes: [reader], logger: .silent) {
                republished.append(1)
                return true
            }
            let configuration = StreamConfiguration(name: stream, subjects: ["news.>"])
            try await client.jetStream.createOrUpdateStream(configuration)
            await #expect(throws: NatsError.self) { try await check.check() }
            try check.checkStreams()
            try await client.jetStream.deleteStream(stream)
            try await client.jetStream.createOrUpdateStream(configuration)
            await #expect(throws: NatsError.self) { try await check.check() }
            #expect(republished.all.count == 1)
            #expect(throws: StreamsUnread.self) { try check.checkStreams() }
        }
    }

    @Test("A service that can read none of the streams that it writes republishes nothing")
    func noStreamRead() async throws {
        try await withBroker { _, client in
            try await client.check()
            let unread = DurableReader(stream: "A NAME", durable: "other", subject: "other.>")
            let check = BrokerCheck(
                client.jetStream, reads: [], writes: [unread], logger: .silent,
                connection: { client.connectionNumber }
            ) {
                Issue.record("the backlog of its readers is unknown")
                return true
            }
            for _ in 0..<3 { await #expect(throws: NatsError.self) { try await check.check() } }
        }
    }

    @Test("A consumer that was deleted and not made anew is made by its reader")
    func missing() async throws {
        try await withBroker { _, client in
            let reading = BrokerCheck(client.jetStream, reads: [reader], writes: [], logger: .silent) { true }
            try await reading.check()
            #expect(try await client.jetStream.consumerInfo(stream: stream, durable: reader.durable) == nil)
            try await client.jetStream.createOrUpdateStream(StreamConfiguration(name: stream, subjects: ["news.>"]))
            try await reading.check()
            #expect(try await client.jetStream.consumerInfo(stream: stream, durable: reader.durable) != nil)
        }
    }

    @Test("A stream that was created again has its writers publish again, and a missing one is waited for")
    func createdAgain() async throws {
        try await withBroker { _, client in
            let republished = Log<Int>()
            let check = BrokerCheck(client.jetStream, reads: [], writes: [reader], logger: .silent) {
                republished.append(1)
                return true
            }
            try await check.check()
            let configuration = StreamConfiguration(name: stream, subjects: ["news.>"])
            try await client.jetStream.createOrUpdateStream(configuration)
            try await check.check()
            try await check.check()
            #expect(republished.all.isEmpty)
            try await client.jetStream.deleteStream(stream)
            try await check.check()
            try await client.jetStream.createOrUpdateStream(configuration)
            try await check.check()
            #expect(republished.all.count == 1)
        }
    }
}

@Suite("Whether streams go on")
struct StreamContinuityTests {
    private func position(_ last: UInt64, created: String = "monday") -> StreamContinuity.Position {
        .init(created: created, lastSequence: last)
    }

    @Test("A stream that grows with its consumers behind it is whole")
    func whole() {
        var continuity = StreamContinuity()
        for last: UInt64 in [0, 5, 5, 900] {
            let finding = continuity.observe("S", position(last), [.init(durable: "a", deliveredSequence: last)])
            #expect(finding == .init())
        }
    }

    @Test("A stream that went back, or is another, is found once")
    func setBack() {
        var continuity = StreamContinuity()
        _ = continuity.observe("S", position(9), [])
        #expect(continuity.observe("S", position(8), []).hasLostMessages)
        #expect(!continuity.observe("S", position(8), []).hasLostMessages)
        #expect(continuity.observe("S", position(20, created: "tuesday"), []).hasLostMessages)
        #expect(!continuity.observe("T", position(1), []).hasLostMessages)
    }

    private let places = [
        StreamContinuity.Place(durable: "a", deliveredSequence: 9), .init(durable: "b", deliveredSequence: 3),
    ]

    @Test("A consumer ahead of its stream is found at the first check and reset at the second", arguments: [6, 900])
    func ahead(last: UInt64) {
        var continuity = StreamContinuity()
        let found = continuity.observe("S", position(5), places, own: ["a", "b"])
        #expect(found == .init(hasLostMessages: true, ahead: ["a"]))
        // Though its stream has overtaken it meanwhile, and until it has begun again.
        for _ in 0..<2 {
            let again = continuity.observe("S", position(last), places, own: ["a", "b"])
            #expect(again == .init(ahead: ["a"], toReset: ["a"]))
        }
        continuity.begun("a", of: "S")
        let begun = [StreamContinuity.Place(durable: "a", deliveredSequence: 2)]
        #expect(continuity.observe("S", position(900), begun, own: ["a", "b"]) == .init())
    }

    @Test("One that another replica had begin again is left alone, and another service's once it is not ahead")
    func begunElsewhere() {
        var continuity = StreamContinuity()
        _ = continuity.observe("S", position(5), places, own: ["a"])
        let begun = [StreamContinuity.Place(durable: "a", deliveredSequence: 1)]
        #expect(continuity.observe("S", position(6), begun, own: ["a"]) == .init())
        _ = continuity.observe("T", position(5), places)
        #expect(continuity.observe("T", position(6), places) == .init(ahead: ["a"]))
        #expect(continuity.observe("T", position(9), places) == .init())
    }
}

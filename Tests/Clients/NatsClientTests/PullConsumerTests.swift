import FoundationEssentials
import NatsClient
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite("Pull consumer", .nats, .timeLimit(.minutes(10)))
struct PullConsumerTests {
    @Test("Every message is worked on, and acknowledged ones do not come again")
    func acknowledges() async throws {
        try await withFixture { fixture in
            try await fixture.publish(0..<2_000)
            let tally = Tally()
            try await fixture.settle(2_000) {
                try await fixture.consumer.forEach { message in
                    tally.add(text(message.content.payload))
                    try await message.settle(.acknowledge)
                }
            }
            #expect(tally.keys.count == 2_000)
            #expect(tally.total == 2_000)
        }
    }

    @Test("A message carries its sequence numbers and headers")
    func content() async throws {
        try await withFixture { fixture in
            _ = try await fixture.jetStream.publish(
                [9], to: fixture.subject("a"), headers: ["traceparent": "00-a-b-01"])
            let seen = Mutex<StreamMessage?>(nil)
            try await fixture.settle(1) {
                try await fixture.consumer.forEach { message in
                    let content = message.content
                    seen.withLock { $0 = content }
                    try await message.settle(.acknowledge)
                }
            }
            let message = try #require(seen.withLock { $0 })
            #expect(message.payload == [9])
            #expect(message.headers["traceparent"] == "00-a-b-01")
            #expect(message.stream == fixture.stream)
            #expect(message.subject == fixture.subject("a"))
            #expect(message.streamSequence == 1)
            #expect(message.consumerSequence == 1)
            #expect(message.deliveryCount == 1)
            #expect(message.timestamp.timeIntervalSince1970 > 1_700_000_000)
        }
    }

    @Test("A message dropped unsettled, or whose work failed, comes again")
    func redelivery() async throws {
        struct Failed: Error {}
        try await withFixture { fixture in
            try await fixture.publish(0..<10)
            let tally = Tally()
            try await fixture.settle(10) {
                try await fixture.consumer.forEach(unsettledRetryDelay: .milliseconds(20)) { message in
                    tally.add(text(message.content.payload))
                    let count = message.content.deliveryCount
                    if count == 2 { throw Failed() }
                    if count > 2 { try await message.settle(.acknowledge) }
                }
            }
            #expect(tally.keys.allSatisfy { tally[$0] == 3 })
        }
    }

    @Test("A message that a vanished reader held comes again after the acknowledgement wait")
    func ackWait() async throws {
        try await withFixture(ackWait: .milliseconds(300)) { fixture in
            try await fixture.publish(0..<1)
            let tally = Tally()
            try await withClient { vanishing in
                let consumer = vanishing.jetStream.consumer(stream: fixture.stream, durable: fixture.durable)
                try await beside({
                    try await consumer.forEach { message in
                        tally.add("first")
                        await vanishing.close()
                        try await message.settle(.acknowledge)
                    }
                }) {
                    try await eventually("held") { tally["first"] >= 1 }
                }
            }
            try await fixture.settle(1) {
                try await fixture.consumer.forEach { message in
                    tally.add("again")
                    try await message.settle(.acknowledge)
                }
            }
            // Not by its delivery count: a server that met the closed connection while delivering may not have counted.
            #expect(tally["again"] >= 1)
        }
    }

    @Test("A discarded message never comes again, nor does it block the others")
    func discard() async throws {
        try await withFixture { fixture in
            try await fixture.publish(0..<4)
            let tally = Tally()
            // The server counts as acknowledged what it will never deliver again, and this is all of it.
            try await fixture.settle(4) {
                try await fixture.consumer.forEach(inFlightMessagesMax: 1) { message in
                    tally.add(text(message.content.payload))
                    if message.content.streamSequence == 2 {
                        try await message.settle(.discard)
                    } else {
                        try await message.settle(.acknowledge)
                    }
                }
            }
            #expect((0..<4).allSatisfy { tally["\($0)"] == 1 })
        }
    }

    @Test("A retried message comes again once its wait has passed, and not before")
    func retry() async throws {
        try await withFixture { fixture in
            try await fixture.publish(0..<1)
            let times = Mutex<[ContinuousClock.Instant]>([])
            try await fixture.settle(1) {
                try await fixture.consumer.forEach { message in
                    times.withLock { $0.append(.now) }
                    if message.content.deliveryCount == 1 {
                        try await message.settle(.retry(after: .milliseconds(400)))
                    } else {
                        try await message.settle(.acknowledge)
                    }
                }
            }
            let seen = times.withLock { $0 }
            try #require(seen.count == 2)
            #expect(seen[0].duration(to: seen[1]) >= .milliseconds(350))
        }
    }

    @Test("A message that is worked on for longer than the acknowledgement wait does not come again")
    func progress() async throws {
        try await withFixture(ackWait: .seconds(15)) { fixture in
            try await fixture.publish(0..<1)
            let tally = Tally()
            let began = ContinuousClock.now
            try await fixture.settle(1) {
                try await fixture.consumer.forEach(progressInterval: .milliseconds(200)) { message in
                    tally.add("seen")
                    try await eventually("the wait has passed") { began.duration(to: .now) > .seconds(20) }
                    try await message.settle(.acknowledge)
                }
            }
            #expect(tally.total == 1)
        }
    }

    @Test("No more bodies run at a time than may be in flight")
    func bound() async throws {
        try await withFixture { fixture in
            try await fixture.publish(0..<200)
            let running = Mutex((now: 0, most: 0))
            try await fixture.settle(200) {
                try await fixture.consumer.forEach(batchMax: 50, inFlightMessagesMax: 7) { message in
                    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await Task.yield()
                    running.withLock { $0.now -= 1 }
                    try await message.settle(.acknowledge)
                }
            }
            #expect(running.withLock { $0.most } <= 7)
            #expect(running.withLock { $0.now } == 0)
        }
    }

    @Test("Batches hold at most what was asked for, in order, and each message may be settled its own way")
    func batches() async throws {
        try await withFixture { fixture in
            try await fixture.publish(0..<500)
            let sequences = Mutex<[UInt64]>([])
            try await fixture.settle(500) {
                try await fixture.consumer.forEachBatch(batchMax: 64) { batch in
                    #expect((1...64).contains(batch.messages.count))
                    let first = batch.messages.filter { $0.deliveryCount == 1 }.map(\.streamSequence)
                    sequences.withLock { $0 += first }
                    try await batch.settle { message in
                        message.deliveryCount == 1 && message.streamSequence.isMultiple(of: 100)
                            ? .retry(after: .milliseconds(10)) : .acknowledge
                    }
                }
            }
            #expect(sequences.withLock { $0 } == Array(1...500))
        }
    }

    @Test("A batch dropped unsettled comes again as a whole")
    func droppedBatch() async throws {
        try await withFixture { fixture in
            try await fixture.publish(0..<20)
            let tally = Tally()
            try await fixture.settle(20) {
                try await fixture.consumer.forEachBatch(batchMax: 64, unsettledRetryDelay: .milliseconds(10)) { batch in
                    for message in batch.messages { tally.add(text(message.payload)) }
                    if batch.messages.contains(where: { $0.deliveryCount == 1 }) { return }
                    try await batch.settle { _ in .acknowledge }
                }
            }
            #expect(tally.keys.allSatisfy { tally[$0] >= 2 })
        }
    }

    @Test("Cancellation ends it although the stream is quiet")
    func cancellation() async throws {
        try await withFixture { fixture in
            let reading = Task { try await fixture.consumer.forEach { try await $0.settle(.acknowledge) } }
            try await eventually("pulling") { try await fixture.info().waitingPulls == 1 }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
    }

    @Test("Graceful shutdown lets running work end, begins nothing new and gives back what is on its way")
    func gracefulShutdown() async throws {
        struct Reader: Service {
            let consumer: PullConsumer
            let work: @Sendable (consuming ReceivedMessage) async throws -> Void
            func run() async throws { try await consumer.forEach(inFlightMessagesMax: 5, work) }
        }
        // What was not given back would come again only after this.
        try await withFixture(ackWait: .seconds(600)) { fixture in
            try await fixture.publish(0..<100)
            let client = NatsClient(try TestNats.configuration(), logger: .silent)
            let tally = Tally()
            let (release, gate) = AsyncStream.makeStream(of: Never.self)
            let reader = Reader(
                consumer: client.jetStream.consumer(stream: fixture.stream, durable: fixture.durable)
            ) { message in
                tally.add("begun")
                for await _ in release {}
                try await message.settle(.acknowledge)
                tally.add("ended")
            }
            try await RunningService.run(client, reader) { stop in
                try await eventually("five run") { tally["begun"] == 5 }
                await stop()
                gate.finish()
            }
            #expect(tally["begun"] == tally["ended"])
            try await eventually("what was acknowledged counts") {
                try await fixture.info().acknowledgedSequence >= 5
            }
            // The next reader has the rest.
            try await fixture.settle(100) { try await fixture.consumer.forEach { try await $0.settle(.acknowledge) } }
        }
    }
}

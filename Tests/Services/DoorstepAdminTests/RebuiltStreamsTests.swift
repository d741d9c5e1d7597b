import CommandOutput
import TestSupport
import Testing

@testable import DoorstepAdmin
@testable import Messages
@testable import NatsClient

@Suite("Rebuilt and unreadable streams", .tags(.integration), .timeLimit(.minutes(10)))
struct RebuiltStreamsTests {
    /// Small enough for all streams in the test's broker.
    private var storage: StreamStorage {
        var storage = StreamStorage()
        storage.replicas = 1
        storage.gigabytes = 0.05
        return storage
    }

    @Test("A stream is created again before the next one is deleted, without its messages")
    func oneByOne() async throws {
        let server = try PrivateNats()
        try await server.start()
        let (lines, messages) = try await Streams.with(server.configuration) { streams -> ([String], UInt64?) in
            try await streams.set(storage, after: [:]) { _ in }
            let message = OutgoingMessage(subject: Subject.deliveriesChanged, payload: [])
            for result in await streams.jetStream.publish([message], timeout: .seconds(20)) { _ = try result.get() }
            let former = try await streams.present { throw $1 }
            #expect(former["ORDERS"]?.messages == 1)
            let ages = StreamDefinition.all.compactMap { former[$0.name]?.configuration.maxAge }
            #expect(ages == Array(repeating: Duration.seconds(86_400), count: StreamDefinition.all.count))
            var lines: [String] = []
            try await streams.set(storage, after: former, rebuiltBy: "rebuild-streams") { lines.append($0) }
            return (lines, try await streams.jetStream.streamInfo("ORDERS")?.messages)
        }
        let steps = lines.filter { !$0.hasPrefix("consumer ") }.map { String($0.split(separator: ":")[0]) }
        #expect(steps == StreamDefinition.all.flatMap { ["deleted stream \($0.name)", "stream \($0.name)"] })
        #expect(messages == 0)
        await server.stop()
    }

    @Test("Where a deleted stream cannot be created, the failure has the command that repeats it with its bound")
    func repeated() {
        let refused = NatsError(.timedOut, "no leader", operation: "creating")
        let cases: [(Int64, String)] = [(400_000_000, "--replicas 3 --gigabytes 2.0"), (-1, "--replicas 3")]
        for (bytes, options) in cases {
            let failure = Streams.failure(
                refused, of: .partners, replicas: 3, bytesMax: bytes, repeatedBy: "rebuild --without-republish")
            #expect(failure.kind == .unavailable)
            #expect(failure.message.hasSuffix("rebuild --without-republish --yes \(options)"), "\(failure.message)")
        }
    }

    @Test("The doctor names the stream that cannot be read, and goes on with the others")
    func unreadable() async throws {
        let server = try PrivateNats()
        try await server.start()
        // The client refuses this name, so the request fails.
        let unread = StreamDefinition(name: "A NAME", subjects: [])
        let (unreadable, missing) = try await Streams.with(server.configuration) { streams in
            let unreadable = await Doctor.findings(of: unread, on: streams.jetStream)
            return (unreadable, await Doctor.findings(of: .partners, on: streams.jetStream))
        }
        #expect(unreadable.map(\.part) == ["stream A NAME"])
        #expect(unreadable.first?.state.hasPrefix("cannot be read: ") == true)
        #expect(unreadable.first?.fix?.contains("broker's log") == true)
        #expect(missing.map(\.state) == Array(repeating: "is missing", count: missing.count))
        #expect(missing.count == 3, "the stream and its consumers")
        await server.stop()
    }
}

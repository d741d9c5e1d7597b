import Foundation
import Logging
import Metrics
import PostgresClient
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import NatsClient
@testable import ReliableMessaging
@testable import ServiceRuntime

@Suite("Spans of messages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct MessageSpansTests {
    private static let sender = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Records every span that the body ends.
    private func recorded(_ body: () async throws -> Void) async throws -> [SpanRecord] {
        let queue = SpanQueue(spansMax: 64, batchMax: 64, metrics: MetricsRegistry())
        let tracer = SpanTracer(.init(sampler: TraceSampler(share: 1), queue: queue))
        try await withTracer(tracer) { try await body() }
        return queue.takeBatch()
    }

    private func consumer(_ pool: PostgresPool) -> MessageConsumer<Greeting> {
        MessageConsumer(
            NatsClient(NatsConfiguration(), logger: .silent).jetStream.consumer(stream: "GREETINGS", durable: "reader"),
            subject: "greetings.*", deadLetters: DeadLetters(pool: pool), logger: .silent,
            handle: oneByOne { (_: Greeting, _: MessageContext) in })
    }

    private func message(_ number: UInt64, headers: [String: String] = ["traceparent": sender]) -> StreamMessage {
        StreamMessage(
            subject: "greetings.\(number)", payload: Array(#"{"schema":1,"text":"hello"}"#.utf8), headers: headers,
            stream: "GREETINGS", streamSequence: number)
    }

    @Test("A message is handled in a span below its sender's, and what it causes is below that")
    func handled() async throws {
        try await withTables { pool in
            let caused = Log<String>()
            let spans = try await recorded {
                _ = try await consumer(pool).settlement(of: message(1)) { _, context in
                    caused.append(TracePropagation.headers([:])["traceparent"] ?? "")
                    context.continuingTrace { caused.append(TracePropagation.headers([:])["traceparent"] ?? "") }
                }
            }
            let span = try #require(spans.first)
            #expect(spans.count == 1 && span.name == "process reader" && span.kind == .consumer)
            #expect(span.parentSpanID == "00f067aa0ba902b7" && span.status == nil)
            #expect(caused.all == [span.trace.traceparent, span.trace.traceparent])
        }
    }

    @Test("Each message of a batch has its own, and what it causes is in its own trace")
    func batch() async throws {
        try await withTables { pool in
            let caused = Log<String>()
            let spans = try await recorded {
                _ = try await consumer(pool).settlements(of: [message(1), message(2, headers: [:])]) { batch in
                    for one in batch {
                        one.context.continuingTrace {
                            caused.append(TracePropagation.headers([:])["traceparent"] ?? "")
                        }
                    }
                }
            }
            #expect(spans.map(\.trace.traceparent) == caused.all)
            #expect(spans.map(\.parentSpanID) == ["00f067aa0ba902b7", nil])
        }
    }

    @Test("A handler that fails makes an error of the span")
    func failed() async throws {
        struct Fault: Error {}
        try await withTables { pool in
            let spans = try await recorded {
                _ = try await consumer(pool).settlement(of: message(1)) { _, _ in throw Fault() }
            }
            #expect(spans.map(\.status?.code) == [.error])
            #expect(spans.first?.events.map(\.name) == ["exception"])
        }
    }

    private struct Store: OutboxStore {
        let rows: [UnsentRow]
        func lease(rowsMax: Int, for duration: Duration) async throws -> [UnsentRow] { rows }
        func settle(_ outcomes: [(row: UnsentRow, outcome: PublishOutcome)]) async throws {}
    }

    private final class Publisher: OutboxPublisher {
        let published = Mutex<[OutgoingMessage]>([])

        /// Takes every message but the last.
        func publish(_ messages: [OutgoingMessage], timeout: Duration) async -> [Result<PublishAck, NatsError>] {
            published.withLock { $0 = messages }
            let taken = messages.dropLast().map { _ in
                Result<PublishAck, NatsError>.success(PublishAck(stream: "S", sequence: 1, isDuplicate: false))
            }
            return taken + [.failure(NatsError(.timedOut, "lost", operation: "publishing"))]
        }
    }

    private func relay(_ messages: [OutboxMessage]) async throws -> [OutgoingMessage] {
        let publisher = Publisher()
        let batch = RelayBatch(
            store: Store(rows: messages.map { UnsentRow(message: $0, attempts: 0, age: .zero) }),
            publisher: publisher, rowsMax: 8, leaseDuration: .seconds(15), publishTimeout: .seconds(5), attemptsMax: 3)
        _ = try await batch.run()
        return publisher.published.withLock { $0 }
    }

    private static let outgoing = [
        OutboxMessage(subject: "orders.delivery-changed.7f3c", payload: [1], headers: ["traceparent": sender]),
        OutboxMessage(subject: "orders.delivery-changed.resync", payload: [1]),
        OutboxMessage(subject: "activities.intent.orders.mette.a", payload: [1], headers: ["traceparent": sender]),
    ]

    @Test("A published message names the span that published it, below the one that caused it")
    func published() async throws {
        var sent: [OutgoingMessage] = []
        let spans = try await recorded { sent = try await relay(Self.outgoing) }
        #expect(spans.map(\.name) == ["publish orders.delivery-changed", "publish activities.intent"])
        #expect(spans.allSatisfy { $0.kind == .producer && $0.parentSpanID == "00f067aa0ba902b7" })
        #expect(spans.map(\.status?.code) == [nil, .error])
        #expect(
            sent.map { $0.headers["traceparent"] } == [
                spans[0].trace.traceparent, nil, spans[1].trace.traceparent,
            ])
    }

    @Test("Of a batch only the traces that are sampled have a span, wherever they are in it")
    func sampledOnly() async throws {
        let traces = ["1", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-00", Self.sender]
        let batch = OutboxBatch(
            traces.map { OutboxMessage(subject: "greetings.n", payload: [1], headers: ["traceparent": $0]) })
        var sent: [OutgoingMessage] = []
        let spans = try await recorded { sent = try await relay(batch.messages) }
        #expect(spans.map(\.parentSpanID) == ["00f067aa0ba902b7"])
        #expect(
            sent.map { $0.headers["traceparent"] }
                == [(traces.dropLast() + [spans[0].trace.traceparent]).joined(separator: ",")])
    }

    @Test("A batch is published in a span below each that caused some of it, and its elements are handled below those")
    func publishedBatch() async throws {
        let other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01"
        let batch = OutboxBatch(
            [Self.sender, nil, other, Self.sender].map { trace in
                OutboxMessage(
                    subject: "greetings.n", payload: Array(#"{"schema":1,"text":"hello"}"#.utf8),
                    headers: trace.map { ["traceparent": $0] } ?? [:])
            })
        var sent: [OutgoingMessage] = []
        let published = try await recorded { sent = try await relay(batch.messages) }
        #expect(sent.count == 1 && published.map(\.name) == ["publish greetings.n", "publish greetings.n"])
        #expect(Set(published.map(\.parentSpanID)) == ["00f067aa0ba902b7", "00f067aa0ba902b8"])
        try await withTables { pool in
            let message = StreamMessage(
                subject: "greetings.n", payload: sent[0].payload, headers: sent[0].headers, stream: "GREETINGS")
            let handled = try await recorded {
                _ = try await consumer(pool).settlements(of: [message]) { _ in }
            }
            let publishers = Dictionary(uniqueKeysWithValues: published.map { ($0.parentSpanID, $0.trace.spanID) })
            let parents = ["00f067aa0ba902b7", nil, "00f067aa0ba902b8", "00f067aa0ba902b7"].map { sender in
                sender.flatMap { publishers[$0] }
            }
            #expect(handled.map(\.parentSpanID) == parents)
        }
    }

    @Test("Without a collector a message is published with the headers that it was enqueued with")
    func unrecorded() async throws {
        let sent = try await relay(Self.outgoing)
        #expect(sent.map(\.headers) == Self.outgoing.map(\.headers))
    }
}

import Foundation
import Logging
import NatsClient
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import ReliableMessaging

@Suite("Dead letter retrier", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct DeadLetterRetrierTests {
    /// No broker is needed: this client never connects.
    private let puller = NatsClient(NatsConfiguration(), logger: .silent).jetStream.consumer(
        stream: "GREETINGS", durable: "reader")

    private func retrier(
        _ pool: PostgresPool, handle: @escaping SingleHandler<Greeting>
    ) -> DeadLetterRetrier {
        MessageConsumer(
            puller, subject: ">", deadLetters: DeadLetters(pool: pool), logger: .silent, handle: oneByOne(handle)
        )
        .deadLetterRetrier
    }

    private func batchRetrier(
        _ pool: PostgresPool, handle: @escaping MessageConsumer<Greeting>.BatchHandler
    ) -> DeadLetterRetrier {
        MessageConsumer(
            puller, subject: ">", deadLetters: DeadLetters(pool: pool), logger: .silent, handleBatch: handle
        )
        .deadLetterRetrier
    }

    /// A dead letter of `reader` that an operator retries.
    private func waiting(_ pool: PostgresPool, payload: String = #"{"schema":1,"text":"hello"}"#) async throws -> UUID {
        let letters = DeadLetters(pool: pool)
        let message = StreamMessage(
            subject: "greetings.one", payload: Array(payload.utf8), headers: ["traceparent": "00-a-b-01"],
            stream: "GREETINGS", streamSequence: 7)
        try await letters.record(message, of: "reader", error: "unknown store")
        let id = try #require(await letters.list().deadLetters.first?.id)
        try await letters.retry(id)
        return id
    }

    @Test("The handler gets the message as it was, once, and it is settled")
    func handled() async throws {
        try await withTables { pool in
            let id = try await waiting(pool)
            let seen = Log<String>()
            let retrier = retrier(pool) { message, context in
                seen.append("\(message.text) \(context.message.streamSequence) \(context.message.subject)")
            }
            #expect(try await retrier.retryOne())
            #expect(try await !retrier.retryOne())
            #expect(seen.all == ["hello 7 greetings.one"])
            #expect(try await DeadLetters(pool: pool).show(id)?.state == .retried)
        }
    }

    @Test("A handler of batches gets a batch of one")
    func batch() async throws {
        try await withTables { pool in
            let id = try await waiting(pool)
            let seen = Log<Int>()
            #expect(try await batchRetrier(pool) { seen.append($0.count) }.retryOne())
            #expect(seen.all == [1])
            #expect(try await DeadLetters(pool: pool).show(id)?.state == .retried)
        }
    }

    @Test("What fails again is open again, with the new reason")
    func refused() async throws {
        try await withTables { pool in
            let id = try await waiting(pool)
            let retrier = retrier(pool) { _, _ in throw RejectedMessage("still unknown") }
            #expect(try await retrier.retryOne())
            let letter = try #require(await DeadLetters(pool: pool).show(id))
            #expect(letter.state == .open)
            #expect(letter.error == "still unknown")
            #expect(letter.attempts == 2)
            #expect(try await !retrier.retryOne())
        }
    }

    @Test("What cannot be decoded is open again")
    func undecodable() async throws {
        try await withTables { pool in
            let id = try await waiting(pool, payload: "{")
            #expect(try await retrier(pool) { _, _ in Issue.record("it was handled") }.retryOne())
            #expect(try await DeadLetters(pool: pool).show(id)?.state == .open)
        }
    }

    @Test("An outage settles nothing: it is retried when its lease is over")
    func outage() async throws {
        try await withTables { pool in
            let id = try await waiting(pool)
            let retrier = retrier(pool) { _, _ in throw CancellationError() }
            await #expect(throws: CancellationError.self) { _ = try await retrier.retryOne() }
            #expect(try await DeadLetters(pool: pool).show(id)?.state == .retrying)
            #expect(try await !retrier.retryOne())
            try await pool.execute("UPDATE dead_letters SET leased_until = '-infinity'")
            let next = self.retrier(pool) { _, _ in }
            #expect(try await next.retryOne())
            #expect(try await DeadLetters(pool: pool).show(id)?.state == .retried)
        }
    }
}

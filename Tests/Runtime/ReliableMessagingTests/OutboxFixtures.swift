import Foundation
import NatsClient
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import ReliableMessaging

/// A pool on the test's own schema, with this library's tables.
func withTables(_ body: (PostgresPool) async throws -> Void) async throws {
    try await withPool(TestPostgres.current) { pool in
        try await pool.withTransaction { transaction in
            for script in [ReliableMessagingMigration.sql, ReliableMessagingMigration.resyncRounds] {
                try await transaction.executeScript(script)
            }
        }
        try await body(pool)
    }
}

/// A broker with a stream of the test's own.
struct Broker {
    let client: NatsClient
    let stream: String

    func subject(_ last: String) -> String { "\(stream).\(last)" }

    func createStream() async throws {
        try await client.jetStream.createOrUpdateStream(
            StreamConfiguration(name: stream, subjects: ["\(stream).>"], duplicateWindow: .seconds(60)))
    }

    /// Messages that the stream has stored, duplicates not counted.
    func count() async throws -> Int {
        Int(try await client.jetStream.streamInfo(stream)?.messages ?? 0)
    }
}

/// The test's broker, with a stream unless the test wants to make it later.
func withBroker(hasStream: Bool = true, _ body: (Broker) async throws -> Void) async throws {
    let client = NatsClient(try TestNats.configuration(), logger: .silent)
    try await client.connect()
    let broker = Broker(client: client, stream: "S" + UUID().uuidString.prefix(8))
    try await withTeardown({ await client.close() }) {
        if hasStream { try await broker.createStream() }
        try await body(broker)
    }
}

/// Polls; the test's time limit bounds it.
func until(_ claim: Comment, _ isTrue: () async throws -> Bool) async throws {
    while try await !isTrue() { try await Task.sleep(for: .milliseconds(5)) }
}

/// Ends every lease and wait at once, in place of waiting for it.
func endLeases(_ pool: PostgresPool) async throws {
    try await pool.execute("UPDATE outbox SET leased_until = '-infinity'")
    try await pool.execute("UPDATE timers SET leased_until = '-infinity'")
}

func count(_ table: String, _ pool: PostgresPool) async throws -> Int {
    try await pool.query("SELECT count(*) AS count FROM \(raw: table)")[0].decode("count")
}

/// What a test saw happen, in order.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }

    func append(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

/// A failure of a handler's own.
struct HandlerFailure: Error {}

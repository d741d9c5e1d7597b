import Messages
import NatsClient
import PostgresClient
import SimulationSupport
import TestSupport

/// Counts the work of a stack's services at the database and the broker.
///
/// The database counts by service, since each has a role of its own, and at once (`pg_stat_statements`).
struct PathCounter: Sendable {
    /// The parameters of a Postgres that counts statements.
    static let databaseSettings = ["shared_preload_libraries": "pg_stat_statements"]
    /// Polls of an outbox while nothing happens, each of at most a second: enough for twos of whatever else runs
    /// within a few seconds.
    private static let idlePolls = 8

    private let pool: PostgresPool
    private let nats: NatsClient

    /// Runs the body while the counter is connected to a stack of ``databaseSettings``.
    static func run(on stack: ProcessStack, _ body: (PathCounter) async throws -> Void) async throws {
        try await stack.postgres.execute("CREATE EXTENSION pg_stat_statements")
        var configuration = NatsConfiguration(servers: ["nats://127.0.0.1:\(stack.natsPort)"])
        configuration.user = "infra"
        configuration.password = "nats-infra"
        configuration.name = "path-counter"
        configuration.inboxPrefix = "_INBOX_infra"
        let nats = NatsClient(configuration, logger: .silent)
        try await withTeardown({ await nats.close() }) {
            try await nats.connect()
            try await withPool(stack.postgres.configuration) { pool in
                try await body(PathCounter(pool: pool, nats: nats))
            }
        }
    }

    /// Statements that run again and again while nothing happens; waits until each service has polled its outbox a few
    /// times.
    func background() async throws -> Set<CountedStatement> {
        let before = try await counts()
        var idle = before.since(before)
        try await eventually("every service polls its outbox", explain: { "\(idle.calls)" }) {
            idle = try await counts().since(before)
            return ServiceName.messaging.allSatisfy { service in
                idle.calls.contains {
                    $0.key.role == service.role && $0.key.text.contains("UPDATE outbox SET leased_until")
                        && $0.value >= Self.idlePolls
                }
            }
        }
        return Set(idle.calls.filter { $0.value > 1 }.keys)
    }

    /// Counts what an action causes until everything that followed from it is done.
    func window(_ action: () async throws -> Void) async throws -> PathCounts {
        let before = try await counts()
        try await action()
        try await settle()
        return try await counts().since(before)
    }

    /// Returns when no message waits in an outbox, in a stream or at a consumer.
    ///
    /// A consumer's transaction writes its own messages before the consumer acknowledges, so each link of a chain is
    /// seen before the former one is gone, unless it moves while the three are read: the streams are read twice.
    func settle() async throws {
        var last: [String: Int] = [:]
        try await eventually("everything that follows is done", explain: { "\(last)" }) {
            let first = try await broker()
            last = first.counts
            guard first.unsettled == 0, try await outboxRows() == 0 else { return false }
            let second = try await broker()
            return second.unsettled == 0 && second.counts == first.counts
        }
    }

    private func counts() async throws -> PathCounts {
        let roles = ServiceName.allCases.map(\.role)
        let rows = try await pool.query(
            """
            SELECT rolname::text AS role, query, sum(calls)::bigint AS calls, sum(wal_bytes)::bigint AS wal_bytes
            FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid
            WHERE rolname::text = ANY(\(roles)) GROUP BY 1, 2
            """)
        var counts = PathCounts(calls: [:], walBytes: [:], broker: try await broker().counts)
        for row in rows {
            let statement = CountedStatement(role: try row.decode("role"), text: try row.decode("query"))
            counts.calls[statement] = try row.decode("calls", as: Int.self)
            counts.walBytes[statement] = try row.decode("wal_bytes", as: Int.self)
        }
        return counts
    }

    private func outboxRows() async throws -> Int {
        let rows = try await pool.query(
            """
            SELECT (SELECT count(*) FROM orders.outbox) + (SELECT count(*) FROM courier_eta.outbox)
                + (SELECT count(*) FROM activity_dispatch.outbox) + (SELECT count(*) FROM partners.outbox) AS count
            """)
        return try rows.first?.decode("count") ?? 0
    }

    /// What the streams carried so far, and how many messages of theirs are not settled.
    private func broker() async throws -> (counts: [String: Int], unsettled: Int) {
        let jetStream = nats.jetStream
        var counts: [String: Int] = [:]
        var unsettled = 0
        for stream in StreamDefinition.all {
            guard let info = try await jetStream.streamInfo(stream.name) else { continue }
            counts["messages published to \(stream.name)"] = Int(info.lastSequence)
            counts["bytes of \(stream.name)"] = Int(info.bytes)
        }
        for consumer in ConsumerDefinition.all {
            let name = consumer.stream.name
            guard let info = try await jetStream.consumerInfo(stream: name, durable: consumer.durable) else { continue }
            counts["messages delivered from \(name)", default: 0] += Int(info.deliveries)
            unsettled += Int(info.pending) + info.ackPending
        }
        return (counts, unsettled)
    }
}

import Foundation

/// The baseline of the same database server: one hand-written transaction with the durable facts of one change, run by
/// pgbench on a schema of its own.
///
/// The facts are the delivery's state, its timeline, its card's wanted and sent state, the push in the ledger, and the
/// event that the device resumes with. There is one copy of each, one round trip, no message that waits to be
/// published, and no index but the primary keys. Documents have the sizes that the services write, copied from the
/// measured stack.
struct HandWrittenChange: Codable {
    /// The highest rate over all numbers of clients.
    let changesPerSecond: Double
    /// The runs by number of clients.
    let measured: [Run]
    /// Bytes of the write-ahead log a change.
    let walBytesPerChange: Double
    let statements: Int

    struct Run: Codable {
        let clients: Int
        let changesPerSecond: Double
    }

    private static let secondsEach = 10
    private static let threads = 2

    private static let transaction = """
        UPDATE bench.deliveries SET version = version + 1, status = :status, snapshot = :snapshot::jsonb
            WHERE delivery_id = 'delivery-' || :n;
        INSERT INTO bench.timeline (delivery_id, at, version, kind, what, changed_by)
            VALUES ('delivery-' || :n, now(), 7, 'item', :what, 'store nordhavn');
        UPDATE bench.activities SET wanted = :wanted::jsonb, version = version + 1, wanted_at = now()
            WHERE activity_id = 'activity-' || :n;
        UPDATE bench.cards SET sent = :sent::jsonb, last_push_at = now(), fence = fence + 1
            WHERE card_id = 'card-' || :n;
        INSERT INTO bench.pushes (card_id, event, priority, at, version, result, rendered)
            VALUES ('card-' || :n, 'update', 10, now(), 7, 'taken', :rendered::jsonb);
        UPDATE bench.device_events SET sequence = sequence + 1, data = :data WHERE card_id = 'card-' || :n;
        UPDATE bench.devices SET last_sequence = last_sequence + 1 WHERE device_id = 'device-' || (:n + 1) / 2;

        """

    /// Runs it; the services should be stopped.
    init(on stack: Stack) throws {
        let deliveries = try Self.makeSchema(stack)
        let documents = try Self.documents(stack)
        statements = Self.transaction.split(separator: ";\n").count
        let script = """
            \\set n random(1, \(deliveries))
            \\startpipeline
            BEGIN;
            \(Self.transaction)COMMIT;
            \\endpipeline

            """
        try script.write(toFile: stack.folder + "/change.sql", atomically: true, encoding: .utf8)
        let before = try DatabaseCounters(of: stack)
        var transactions = 0.0
        measured = try [1, 4, 8, 16, 32].map { clients in
            let rate = try Self.pgbench(documents, clients: clients, stack)
            transactions += rate * Double(Self.secondsEach)
            return Run(clients: clients, changesPerSecond: rate)
        }
        changesPerSecond = measured.map(\.changesPerSecond).max() ?? 0
        guard changesPerSecond > 0 else { throw BenchFailure("pgbench completed nothing") }
        let walBytes = try DatabaseCounters(of: stack).walBytes - before.walBytes
        walBytesPerChange = (Double(walBytes) / transactions).rounded()
    }

    /// - Returns: how many deliveries there are, each with an activity and a card, two of a device.
    private static func makeSchema(_ stack: Stack) throws -> Int {
        let active: String = """
            SELECT row_number() OVER () AS n, card_id, activity_id, device_id, delivery_id
            FROM activity_dispatch.cards JOIN activity_dispatch.activities USING (activity_id) WHERE state = 'active'
            """
        let answer = try stack.query(
            "CREATE SCHEMA bench", "CREATE TABLE bench.drawn AS \(active)",
            """
            CREATE TABLE bench.deliveries AS SELECT 'delivery-' || n AS delivery_id, version, status, snapshot
            FROM bench.drawn JOIN orders.deliveries USING (delivery_id)
            """, "ALTER TABLE bench.deliveries ADD PRIMARY KEY (delivery_id)",
            """
            CREATE TABLE bench.timeline (timeline_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, delivery_id text,
                at timestamptz, version integer, kind text, what text, changed_by text)
            """,
            """
            CREATE TABLE bench.activities AS SELECT 'activity-' || n AS activity_id, wanted, version, wanted_at
            FROM bench.drawn JOIN activity_dispatch.activities USING (activity_id)
            """, "ALTER TABLE bench.activities ADD PRIMARY KEY (activity_id)",
            """
            CREATE TABLE bench.cards AS SELECT 'card-' || n AS card_id, sent, last_push_at, fence
            FROM bench.drawn JOIN activity_dispatch.cards USING (card_id)
            """, "ALTER TABLE bench.cards ADD PRIMARY KEY (card_id)",
            """
            CREATE TABLE bench.pushes (push_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, card_id text,
                event text, priority integer, at timestamptz, version integer, result text, rendered jsonb)
            """,
            """
            CREATE TABLE bench.device_events AS SELECT 'card-' || n AS card_id, sequence, data
            FROM bench.drawn JOIN activity_dispatch.device_events USING (card_id)
            """, "ALTER TABLE bench.device_events ADD PRIMARY KEY (card_id)",
            """
            CREATE TABLE bench.devices AS SELECT 'device-' || n AS device_id, 0::bigint AS last_sequence
            FROM generate_series(1, (SELECT count(*) / 2 + 1 FROM bench.drawn)) AS n
            """, "ALTER TABLE bench.devices ADD PRIMARY KEY (device_id)", "VACUUM ANALYZE",
            "SELECT count(*) FROM bench.drawn")
        guard let count = answer.split(whereSeparator: \.isWhitespace).last.flatMap({ Int($0) }), count > 0 else {
            throw BenchFailure("the stack has no card to take documents from")
        }
        return count
    }

    /// The newest documents of one card, by variable of the script.
    private static func documents(_ stack: Stack) throws -> [(name: String, value: String)] {
        let card = try value(stack, "SELECT card_id FROM bench.drawn WHERE n = 1")
        let tables = "activity_dispatch.cards JOIN activity_dispatch.activities USING (activity_id)"
        let queries = [
            ("snapshot", "SELECT snapshot FROM bench.deliveries WHERE delivery_id = 'delivery-1'"),
            ("status", "SELECT status FROM bench.deliveries WHERE delivery_id = 'delivery-1'"),
            (
                "what",
                "SELECT what FROM bench.drawn JOIN orders.timeline USING (delivery_id) WHERE n = 1 ORDER BY timeline_id DESC LIMIT 1"
            ),
            ("wanted", "SELECT wanted FROM \(tables) WHERE card_id = '\(card)'"),
            ("sent", "SELECT sent FROM \(tables) WHERE card_id = '\(card)'"),
            (
                "rendered",
                "SELECT rendered FROM activity_dispatch.pushes WHERE card_id = '\(card)' ORDER BY leased_at DESC LIMIT 1"
            ),
            ("data", "SELECT data FROM activity_dispatch.device_events WHERE card_id = '\(card)'"),
        ]
        return try queries.map { (name: $0.0, value: try value(stack, $0.1)) }
    }

    private static func value(_ stack: Stack, _ query: String) throws -> String {
        let value = try stack.value(query)
        guard !value.isEmpty else { throw BenchFailure("nothing is answered to \(query)") }
        return value
    }

    private static func pgbench(
        _ documents: [(name: String, value: String)], clients: Int, _ stack: Stack
    ) throws -> Double {
        let output = try run(
            postgresProgram("pgbench"),
            ["-n", "-M", "prepared", "-c", "\(clients)", "-j", "\(min(clients, threads))", "-T", "\(secondsEach)"]
                + ["--max-tries=10", "-f", stack.folder + "/change.sql"]
                + documents.flatMap { ["-D", "\($0.name)=\($0.value)"] } + [stack.databaseURL])
        guard let match = output.firstMatch(of: #/tps = ([0-9.]+)/#), let rate = Double(match.output.1),
            output.contains("number of failed transactions: 0 ")
        else { throw BenchFailure("pgbench printed: \(output.suffix(2_000))") }
        return rate
    }
}

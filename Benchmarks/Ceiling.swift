import Foundation

/// The database's own ceiling: pgbench runs the statements of one change on the same server.
struct Ceiling: Codable {
    /// Changes a second, the draw of a delivery taken off.
    let changesPerSecond: Double
    /// pgbench's result, by number of clients.
    let measured: [Run]
    /// Draws of a delivery alone, a second.
    let drawsPerSecond: Double
    let transactionsPerChange: Int
    let statementsPerChange: Int
    /// By schema, in order: how many statements each transaction has.
    let transactions: [String]

    struct Run: Codable {
        let clients: Int
        let changesPerSecond: Double
    }

    private static let secondsEach = 10
    private static let threads = 2

    /// Has the server log what one change makes it do, and makes a script of it.
    static func capture(_ stack: Stack, _ load: OpenLoad, deliveries: Int) throws -> ChangeScript {
        let logFile = stack.folder + "/logs/postgres.log"
        _ = try stack.query(
            "ALTER SYSTEM SET log_line_prefix = '\(StatementLog.linePrefix)'",
            "ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()")
        usleep(500_000)
        let before = try Data(contentsOf: URL(filePath: logFile)).count
        let event = try load.changeOne()
        usleep(1_500_000)
        _ = try stack.query(
            "ALTER SYSTEM RESET log_line_prefix", "ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()")
        let log = String(decoding: try Data(contentsOf: URL(filePath: logFile)).dropFirst(before), as: UTF8.self)
        let targets = try makeTargets(stack)
        guard targets == deliveries else { throw BenchFailure("\(targets) cards for \(deliveries) deliveries") }
        return try ChangeScript(
            StatementLog(log), of: try subject(of: event, stack), tables: try tables(stack), targets: targets)
    }

    /// Runs pgbench; the services should be stopped.
    init(_ script: ChangeScript, on stack: Stack) throws {
        _ = try stack.query("VACUUM ANALYZE")
        let folder = stack.folder
        try script.text.write(toFile: folder + "/change.sql", atomically: true, encoding: .utf8)
        try script.lookup.write(toFile: folder + "/draw.sql", atomically: true, encoding: .utf8)
        measured = try [4, 8, 16, 32].map { clients in
            Run(clients: clients, changesPerSecond: try Self.pgbench("change.sql", script, clients: clients, stack))
        }
        let best = measured.max { $0.changesPerSecond < $1.changesPerSecond }
        guard let best, best.changesPerSecond > 0 else { throw BenchFailure("pgbench completed nothing") }
        drawsPerSecond = try Self.pgbench("draw.sql", script, clients: best.clients, stack)
        changesPerSecond = (10 / (1 / best.changesPerSecond - 1 / drawsPerSecond)).rounded() / 10
        transactionsPerChange = script.transactions.count
        statementsPerChange = script.transactions.map(\.statements.count).reduce(0, +)
        transactions = script.transactions.map { "\($0.role): \($0.statements.count)" }
    }

    private static func pgbench(
        _ file: String, _ script: ChangeScript, clients: Int, _ stack: Stack
    ) throws -> Double {
        let constants = script.constants.flatMap { ["-D", "\($0.name)=\($0.value)"] }
        let output = try run(
            postgresProgram("pgbench"),
            ["-n", "-M", "prepared", "-c", "\(clients)", "-j", "\(threads)", "-T", "\(secondsEach)"]
                + ["--max-tries=10", "-f", "\(stack.folder)/\(file)"] + constants + [stack.databaseURL])
        guard let match = output.firstMatch(of: #/tps = ([0-9.]+)/#), let rate = Double(match.output.1),
            output.contains("number of failed transactions: 0 ")
        else { throw BenchFailure("pgbench printed: \(output.suffix(2_000))") }
        return rate
    }

    private static func subject(of event: DeviceStreams.CardUpdate, _ stack: Stack) throws -> ChangeScript.Subject {
        let answer = try stack.query(
            "SELECT concat_ws(' ', customer_id, activity_id, device_id, card_id) FROM bench.targets WHERE delivery_id = '\(event.delivery)'"
        )
        let words = answer.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 4 else { throw BenchFailure("the captured change has no card") }
        return .init(
            delivery: event.delivery, customer: words[0], activity: words[1], device: words[2], card: words[3])
    }

    private static func makeTargets(_ stack: Stack) throws -> Int {
        let answer = try stack.query(
            "CREATE SCHEMA bench", "CREATE SEQUENCE bench.tick START 1000000000",
            """
            CREATE TABLE bench.targets AS
            SELECT row_number() OVER ()::integer AS n, delivery_id, customer_id, activity_id, device_id, card_id
            FROM activity_dispatch.cards JOIN activity_dispatch.activities USING (activity_id) WHERE state = 'active'
            """, "ALTER TABLE bench.targets ADD PRIMARY KEY (n)", "SELECT count(*) FROM bench.targets")
        guard let count = answer.split(whereSeparator: \.isWhitespace).last.flatMap({ Int($0) }) else {
            throw BenchFailure("no count of cards")
        }
        return count
    }

    private static func tables(_ stack: Stack) throws -> [String: Set<String>] {
        let answer = try stack.query(
            "SELECT schemaname || ' ' || tablename FROM pg_tables WHERE schemaname IN ('orders', 'courier_eta', 'activity_dispatch')"
        )
        var tables: [String: Set<String>] = [:]
        for line in answer.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.count == 2 { tables[words[0], default: []].insert(words[1]) }
        }
        return tables
    }
}

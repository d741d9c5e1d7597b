import Foundation

/// A stack's database statistics since its start.
struct DatabaseCounters {
    /// Transactions, polls included.
    let commits: Int
    /// Statements without those that begin and end transactions; 0 where the server does not count them.
    let statements: Int
    /// Bytes of the write-ahead log.
    let walBytes: Int
    /// Rows of the services' outboxes, each a message to the broker.
    let messages: Int

    /// - Throws: `BenchFailure` when the server cannot be asked.
    init(of stack: Stack) throws {
        let counted = try stack.query("SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'")
        let statements =
            counted.hasPrefix("1")
            ? "(SELECT sum(calls) FROM pg_stat_statements WHERE query !~* '^(begin|commit|rollback)')" : "0"
        let answer = try stack.value(
            """
            SELECT (SELECT sum(xact_commit) FROM pg_stat_database)::bigint, \(statements)::bigint,
                (SELECT wal_bytes FROM pg_stat_wal)::bigint,
                (SELECT sum(n_tup_ins) FROM pg_stat_user_tables WHERE relname = 'outbox')::bigint
            """)
        let numbers = answer.split(separator: "|").map { Int($0) }
        guard numbers.count == 4, let commits = numbers[0], let calls = numbers[1], let bytes = numbers[2],
            let messages = numbers[3]
        else { throw BenchFailure("the database's counters cannot be read: \(answer)") }
        (self.commits, self.statements, walBytes, self.messages) = (commits, calls, bytes, messages)
    }

    /// Enables pg_stat_statements, where the stack was started with `DOORSTEP_DATABASE_STATISTICS=1`.
    static func begin(on stack: Stack) throws {
        let library = try stack.query("SHOW shared_preload_libraries")
        guard library.contains("pg_stat_statements") else { return }
        _ = try stack.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    }
}

/// A stack's broker statistics since its start.
struct BrokerCounters {
    /// Bytes of the streams' messages on the disk, nothing of which is discarded within hours.
    let streamBytes: Int

    /// - Throws: `BenchFailure` when the stack's folder names no data.
    init(of stack: Stack) throws {
        let data = try String(contentsOfFile: stack.folder + "/data", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let files = FileManager.default.enumerator(
            at: URL(filePath: data + "/nats"), includingPropertiesForKeys: [.fileSizeKey])
        var bytes = 0
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "blk" else { continue }
            bytes += (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
        }
        streamBytes = bytes
    }
}

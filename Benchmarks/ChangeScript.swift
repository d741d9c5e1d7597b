import Foundation

/// The transactions of one change as a script for pgbench, on deliveries drawn at random.
///
/// Each transaction goes in one pipeline from `BEGIN` to `COMMIT`, which needs fewer round trips than any service can
/// do, since pgbench need not read a result before it sends the next statement.
struct ChangeScript {
    /// The ids that the captured change was about, by the column of `bench.targets` that draws others.
    struct Subject {
        let delivery: String
        let customer: String
        let activity: String
        let device: String
        let card: String

        fileprivate var columns: [(name: String, value: String)] {
            // Longest first: an activity's id begins with its delivery's.
            [
                ("activity_id", activity), ("delivery_id", delivery), ("card_id", card), ("device_id", device),
                ("customer_id", customer),
            ]
        }
    }

    /// Draws a delivery, and does nothing else.
    private(set) var lookup = ""
    /// Draws a delivery and changes it.
    private(set) var text = ""
    /// pgbench's `-D`: values that are the same each time.
    private(set) var constants: [(name: String, value: String)] = []
    let transactions: [StatementLog.Transaction]

    /// A value that is longer is a document; ids in it are left as they are.
    private static let idCharactersMax = 200

    /// - Parameters:
    ///   - tables: by schema.
    ///   - targets: rows of `bench.targets`.
    init(_ log: StatementLog, of subject: Subject, tables: [String: Set<String>], targets: Int) throws {
        transactions = Self.caused(in: log, by: subject)
        let messages = Self.messages(in: transactions)
        var drawn: [(name: String, expression: String)] = [("device", "device_id"), ("tick", "nextval('bench.tick')")]
        for index in messages.indices { drawn.append(("m\(index)", "gen_random_uuid()")) }
        var names: [String: String] = [:]
        var body = ""
        for transaction in transactions {
            let isBlock = transaction.statements.count > 1 && transaction.statements[0].text.hasPrefix("BEGIN")
            body += "\\startpipeline\n"
            for statement in transaction.statements {
                let values = statement.parameters.map { value -> String in
                    guard let value else { return "NULL" }
                    if let index = messages.firstIndex(of: value) { return ":m\(index)" }
                    if let ids = Self.array(value, of: messages) { return ids }
                    if let name = names[value] { return ":\(name)" }
                    let name = "v\(names.count)"
                    names[value] = name
                    if let expression = Self.expression(value, subject) {
                        drawn.append((name, expression))
                    } else {
                        constants.append((name, value))
                    }
                    return ":\(name)"
                }
                let text = Self.qualified(
                    Self.unrepeated(statement.text), tables: tables[transaction.role] ?? [], schema: transaction.role)
                body += Self.filled(text, values) + ";\n"
            }
            if isBlock, transaction.statements.last?.text != "COMMIT" {
                throw BenchFailure("the log has a transaction without its end")
            }
            body += "\\endpipeline\n"
        }
        let columns = drawn.map { "\($0.expression) AS \($0.name)" }.joined(separator: ", ")
        lookup = "\\set n random(1, \(targets))\nSELECT \(columns) FROM bench.targets WHERE n = :n \\gset\n"
        text = lookup + body
    }

    // MARK: Which transactions

    /// Those that name the change's delivery, device or messages, and the relays' leases of its messages.
    ///
    /// Left out: queries that run whether or not anything has changed.
    private static func caused(in log: StatementLog, by subject: Subject) -> [StatementLog.Transaction] {
        let ids = [subject.delivery, subject.device, subject.customer]
        let own = log.transactions.map { names(ids, $0) && !isPoll($0) }
        let messages = messages(in: zip(log.transactions, own).filter(\.1).map(\.0))
        var isTaken = own
        for (index, transaction) in log.transactions.enumerated()
        where transaction.statements[0].text.hasPrefix("DELETE FROM outbox") && names(messages, transaction) {
            isTaken[index] = true
            let lease = log.transactions[..<index].lastIndex {
                $0.role == transaction.role && $0.statements[0].text.contains("UPDATE outbox SET leased_until")
            }
            if let lease { isTaken[lease] = true }
        }
        return zip(log.transactions, isTaken).filter(\.1).map(\.0)
    }

    private static func names(_ ids: [String], _ transaction: StatementLog.Transaction) -> Bool {
        transaction.statements.contains { statement in
            statement.parameters.contains { value in
                guard let value, value.count <= idCharactersMax else { return false }
                return ids.contains { value.contains($0) }
            }
        }
    }

    /// The stream hub's poll of all open streams.
    private static func isPoll(_ transaction: StatementLog.Transaction) -> Bool {
        transaction.statements[0].text.contains("last_sequence FROM devices WHERE device_id = ANY")
    }

    private static func messages(in transactions: [StatementLog.Transaction]) -> [String] {
        transactions.flatMap(\.statements).filter { $0.text.hasPrefix("INSERT INTO outbox") }
            .compactMap { $0.parameters.first ?? nil }
    }

    // MARK: Values

    /// SQL that makes the value for a drawn delivery; nil where it is the same for all.
    private static func expression(_ value: String, _ subject: Subject) -> String? {
        guard value.count <= idCharactersMax else { return nil }
        let literal = "'\(value.replacing("'", with: "''"))'"
        let expression = subject.columns.reduce(literal) { expression, column in
            value.contains(column.value)
                ? "replace(\(expression), '\(column.value)', \(column.name)::text)" : expression
        }
        return expression == literal ? nil : expression
    }

    /// The drawn messages in place of the captured ones, for the relay's deletion.
    private static func array(_ value: String, of messages: [String]) -> String? {
        let ids = messages.indices.filter { value.contains(messages[$0]) }.map { ":m\($0)" }
        return ids.isEmpty ? nil : "array[\(ids.joined(separator: ", "))]::uuid[]"
    }

    /// `$1` as pgbench has it, the highest number first.
    private static func filled(_ text: String, _ values: [String]) -> String {
        var text = text
        for index in values.indices.reversed() { text = text.replacing("$\(index + 1)", with: values[index]) }
        return text
    }

    // MARK: Statements

    /// Repeats of a change would be no change, or break a constraint: what must rise does.
    ///
    /// A transaction handles only the device that it made due, since pgbench cannot continue with another's.
    private static func unrepeated(_ text: String) -> String {
        var text = text.replacing(
            "FROM devices WHERE due_at <=", with: "FROM devices WHERE device_id = :device AND due_at <=")
        let rising = [
            "activities": ["version"], "pushes": ["fence"], "device_events": ["sequence", "start_sequence"],
        ]
        for (table, columns) in rising { for column in columns { text = ticking(text, table, column) } }
        return text
    }

    private static func ticking(_ text: String, _ table: String, _ column: String) -> String {
        guard let insert = text.firstRange(of: "INSERT INTO \(table) "),
            let names = list(in: text, after: insert.upperBound),
            let keyword = text[names.upperBound...].firstRange(of: "VALUES"),
            let values = list(in: text, after: keyword.upperBound)
        else { return text }
        let columns = text[names].split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        var expressions = text[values].split(separator: ",").map(String.init)
        guard let index = columns.firstIndex(of: column), expressions.count == columns.count else { return text }
        expressions[index] = " :tick"
        return text.replacingCharacters(in: values, with: expressions.joined(separator: ","))
    }

    /// What the next parentheses hold.
    private static func list(in text: String, after start: String.Index) -> Range<String.Index>? {
        guard let open = text[start...].firstIndex(of: "("), let close = text[open...].firstIndex(of: ")") else {
            return nil
        }
        return text.index(after: open)..<close
    }

    /// pgbench is one role for all three services, so tables are named with their schema.
    private static func qualified(_ text: String, tables: Set<String>, schema: String) -> String {
        text.replacing(#/\b(FROM|JOIN|INTO|UPDATE)(\s+)(\w+)/#) { match in
            let name = match.output.3
            return tables.contains(String(name))
                ? "\(match.output.1)\(match.output.2)\(schema).\(name)" : "\(match.output.0)"
        }
    }
}

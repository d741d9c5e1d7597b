/// A statement of a service, as the database counts it.
package struct CountedStatement: Hashable, Sendable {
    /// The service's role.
    package let role: String
    /// The text, with its constants as parameters.
    package let text: String

    package init(role: String, text: String) {
        self.role = role
        self.text = text
    }

    fileprivate var isCommit: Bool { text == "COMMIT" }
    fileprivate var isBegin: Bool { text.hasPrefix("BEGIN") }
    fileprivate var service: String { role.replacing("_", with: "-") }
}

/// The work of services at the database and the broker, since their start or within a window.
package struct PathCounts: Hashable, Sendable {
    package var calls: [CountedStatement: Int]
    /// Bytes of the write-ahead log that a statement wrote, without the commit's own record.
    package var walBytes: [CountedStatement: Int]
    /// Messages and bytes by stream: the names of figures.
    package var broker: [String: Int]

    package init(calls: [CountedStatement: Int], walBytes: [CountedStatement: Int], broker: [String: Int]) {
        self.calls = calls
        self.walBytes = walBytes
        self.broker = broker
    }

    /// The counts of the window that began with others.
    package func since(_ beginning: PathCounts) -> PathCounts {
        func rise<Key>(_ end: [Key: Int], _ start: [Key: Int]) -> [Key: Int] {
            Dictionary(uniqueKeysWithValues: end.map { ($0.key, $0.value - (start[$0.key] ?? 0)) })
        }
        return PathCounts(
            calls: rise(calls, beginning.calls), walBytes: rise(walBytes, beginning.walBytes),
            broker: rise(broker, beginning.broker))
    }
}

/// The cost of one action, from several windows with one such action each.
///
/// A count is the lower quartile of the windows', for each statement by itself: what every action causes is in all of
/// them, and what runs from time to time is in few. A statement that also runs while nothing happens is left out.
package struct PathCost: Hashable, Sendable {
    /// Counts and bytes by name; those of 0 are absent.
    package private(set) var figures: [String: Int] = [:]
    /// The statements of an action, without those that begin and end transactions.
    package private(set) var statements: [CountedStatement: Int] = [:]

    /// - Parameter background: the statements that run while nothing happens.
    package init(of windows: [PathCounts], besides background: Set<CountedStatement>) {
        precondition(!windows.isEmpty, "an action was measured")
        let all = Set(windows.flatMap(\.calls.keys))
        for statement in all where statement.isCommit || !background.contains(statement) {
            let calls = Self.lowerQuartile(of: windows.map { $0.calls[statement] ?? 0 })
            guard calls > 0, !statement.isBegin else { continue }
            guard !statement.isCommit else {
                figures["commits of \(statement.service)", default: 0] += calls
                continue
            }
            statements[statement] = calls
            figures["statements of \(statement.service)", default: 0] += calls
            let bytes = Self.lowerQuartile(of: windows.map { $0.walBytes[statement] ?? 0 })
            if bytes > 0 { figures["WAL bytes of \(statement.service)", default: 0] += bytes }
        }
        for name in Set(windows.flatMap(\.broker.keys)) {
            let count = Self.lowerQuartile(of: windows.map { $0.broker[name] ?? 0 })
            if count > 0 { figures[name] = count }
        }
    }

    /// The most that a figure may be where it was measured once: the same count; half more bytes, since their number
    /// depends on the length of names and on the fill of pages.
    package static func bound(of name: String, measured: Int) -> Int {
        name.contains("bytes") ? measured + (measured + 1) / 2 : measured
    }

    /// The figures above their bounds, each in a line; one that was never measured has the bound 0.
    package func excesses(over measured: [String: Int]) -> [String] {
        figures.sorted { $0.key < $1.key }.compactMap { name, figure -> String? in
            let bound = Self.bound(of: name, measured: measured[name] ?? 0)
            return figure > bound ? "\(name): \(figure), at most \(bound)" : nil
        }
    }

    /// The figures and the statements, each in a line.
    package var text: String {
        let counted = figures.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        let run = statements.map { statement, calls -> String in
            let words = statement.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return "    \(statement.service): \(calls) × \(words.prefix(160))"
        }
        return (counted + run.sorted()).joined(separator: "\n")
    }

    private static func lowerQuartile(of values: [Int]) -> Int { values.sorted()[(values.count - 1) / 4] }
}

/// The prepared statements of one connection, and those to deallocate.
///
/// Bounded: a new statement evicts the least recently used one. Pure; the connection does the I/O.
struct PreparedStatements {
    /// The same text with other parameter types is another statement.
    struct Key: Hashable {
        var text: String
        var types: [UInt32]
    }

    enum Lookup: Equatable {
        case prepared(name: String)
        /// The statement is to be prepared under this name; call ``confirm(_:)`` once the server has prepared it.
        case new(name: String)
    }

    private struct Entry {
        var name: String
        var lastUse: Int
    }

    let statementsMax: Int
    private var entries: [Key: Entry] = [:]
    private var uses = 0
    private var namesGiven = 0
    /// Names the server still holds for nothing; deallocated before the next statement.
    private(set) var discarded: [String] = []
    private(set) var discardsAll = false

    init(statementsMax: Int) { self.statementsMax = max(1, statementsMax) }

    /// The name to run it by.
    mutating func index(_ key: Key) -> Lookup {
        uses += 1
        if let entry = entries[key] {
            entries[key]?.lastUse = uses
            return .prepared(name: entry.name)
        }
        namesGiven += 1
        return .new(name: "doorstep_\(namesGiven)")
    }

    /// Records a statement that the server has prepared, and evicts the least recently used one beyond the bound.
    mutating func confirm(_ key: Key, name: String) {
        if let former = entries.updateValue(Entry(name: name, lastUse: uses), forKey: key), former.name != name {
            discarded.append(former.name)
        }
        while entries.count > statementsMax, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            discarded.append(oldest.value.name)
        }
    }

    /// Clears the record, after the server's prepared statements turned out to differ.
    mutating func reset() {
        entries = [:]
        discarded = []
        discardsAll = true
    }

    /// To be called after ``discarded`` or ``discardsAll`` were sent to the server.
    mutating func discardsSent() {
        discarded = []
        discardsAll = false
    }
}

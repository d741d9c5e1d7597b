/// A failure of Postgres or of the connection to it.
///
/// Sort failures by the flags (``isRetriable``, ``isOutcomeUnknown``, ``isDiskFull`` …), never by text.
/// The description contains the query's text, never the bound values: server texts about values (``detail``, and
/// ``message`` of SQLSTATE class 22) are omitted; read those properties explicitly.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The server could not be reached, or the connection to it was lost.
        case connection
        /// The server refused a statement, for the reason in the SQLSTATE.
        case statement(sqlState: String)
        /// A column was missing, `NULL`, or not of the wanted type.
        case decoding
        /// A value cannot be sent, for example text with a NUL byte.
        case encoding
        /// No connection was free within `acquireTimeout`, or too many callers waited already.
        case poolExhausted
        /// The calling task was cancelled.
        case cancelled
        /// The pool, connection or transaction was used after its end.
        case closed
        /// A setting cannot be understood.
        case configuration
        /// The database and the migrations in the code do not agree.
        case migration
    }

    /// The kind of failure.
    public var code: Code
    /// The failure, in the server's words or the client's; may quote a value when the SQLSTATE is of class 22.
    public var message: String
    /// The server's second line; often quotes values.
    public var detail: String?
    /// The constraint that was violated.
    public var constraint: String?
    /// The table the failure is about.
    public var table: String?
    /// The statement with `$1`, `$2` … in place of its values.
    public var query: String?
    /// True when the statement was sent and its answer never came: it may have been applied or not.
    public var isOutcomeUnknown = false

    /// A failure of this kind, with nothing more known about it.
    public init(_ code: Code, _ message: String, query: String? = nil) {
        self.code = code
        self.message = message
        self.query = query
    }

    /// The five letters of SQLSTATE, when the server refused a statement.
    public var sqlState: String? {
        if case .statement(let sqlState) = code { sqlState } else { nil }
    }

    public var description: String {
        var text = "Postgres: \(kind)"
        // Class 22 (data exception) quotes the offending input in its first line.
        if sqlState?.hasPrefix("22") != true { text += ": \(message)" }
        if let constraint { text += " [constraint \(constraint)]" }
        if let table { text += " [table \(table)]" }
        if isOutcomeUnknown { text += " (outcome unknown)" }
        if let query { text += " in: \(query)" }
        return text
    }

    private var kind: String {
        switch code {
        case .connection: "connection"
        case .statement(let sqlState): "SQLSTATE \(sqlState)"
        case .decoding: "decoding"
        case .encoding: "encoding"
        case .poolExhausted: "pool exhausted"
        case .cancelled: "cancelled"
        case .closed: "closed"
        case .configuration: "configuration"
        case .migration: "migration"
        }
    }
}

// SQLSTATEs are those of appendix A, "PostgreSQL Error Codes", of the manual.
extension PostgresError {
    /// True when the same work, begun again from the start, may succeed.
    ///
    /// Does not show whether the first attempt was applied: see ``isOutcomeUnknown``, or make the work
    /// idempotent.
    public var isRetriable: Bool {
        switch code {
        case .connection, .poolExhausted: true
        case .statement: isSerializationFailure || isConnectionLoss || isTransient
        case .decoding, .encoding, .cancelled, .closed, .configuration, .migration: false
        }
    }

    /// True for a serialization failure (`40001`) or a deadlock (`40P01`): run the transaction again.
    public var isSerializationFailure: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// True for `53100`: the server has no room left to write.
    public var isDiskFull: Bool { sqlState == "53100" }

    /// True for `55P03`: another transaction held a lock for longer than `lock_timeout`.
    public var isLockTimeout: Bool { sqlState == "55P03" }

    /// True after the loss of the connection, whether it broke or the server ended it.
    public var isConnectionLoss: Bool {
        switch code {
        case .connection: true
        case .statement(let sqlState): sqlState.hasPrefix("08") || sqlState.hasPrefix("57P")
        case .decoding, .encoding, .poolExhausted, .cancelled, .closed, .configuration, .migration: false
        }
    }

    /// Conditions that pass: too many connections, out of resources, a lock not to be had, a lost prepared statement.
    private var isTransient: Bool {
        guard let sqlState else { return false }
        return sqlState.hasPrefix("53") || isLockTimeout || isStalePreparedStatement
    }

    /// True when only our memory of a prepared statement was wrong (`26000`).
    var isStalePreparedStatement: Bool { sqlState == "26000" }
}

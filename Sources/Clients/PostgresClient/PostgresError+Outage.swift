extension PostgresError {
    /// True when the server takes no writes: a standby, or a server that was made read-only (SQLSTATE 25006).
    var isReadOnlyServer: Bool { sqlState == "25006" }

    /// True when the same work will succeed once the server, or the way to it, is well again.
    ///
    /// Beyond what is retriable: 57014, a statement that took too long; 25006, a server that a fail-over left
    /// read-only; a pool that is shutting down; and a commit whose outcome nobody knows.
    public var isOutage: Bool {
        isRetriable || isConnectionLoss || isOutcomeUnknown || code == .closed || sqlState == "57014"
            || isReadOnlyServer
    }
}

extension PostgresError {
    /// True when the server rejects writes: a standby, or a server made read-only (SQLSTATE 25006).
    var isReadOnlyServer: Bool { sqlState == "25006" }

    /// True when the same work will succeed once the server, or the network to it, has recovered.
    ///
    /// Beyond retriable errors: 57014, a statement time-out; 25006, a server left read-only by a fail-over; a pool that
    /// is shutting down; and a commit of unknown outcome.
    public var isOutage: Bool {
        isRetriable || isConnectionLoss || isOutcomeUnknown || code == .closed || sqlState == "57014"
            || isReadOnlyServer
    }

    /// True when no other request of a shared transaction would fare better than the one that met the error.
    ///
    /// Every outage but 57014, a statement time-out, which the work of one request may have caused; and the interruption
    /// of running work by a pool that shuts down.
    public var concernsAllRequests: Bool { (isOutage && sqlState != "57014") || code == .cancelled }
}

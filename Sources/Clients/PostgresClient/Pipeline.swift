import CPostgres

/// One round trip in libpq's pipeline mode: the sent commands, and so the expected answers, in order.
///
/// "If any statement encounters an error, the server aborts the current transaction and does not execute any
/// subsequent command in the queue until the next synchronization point" (manual, 34.5.1.3): each batch ends in one,
/// so a batch outside of a transaction block is a transaction of its own.
struct Pipeline {
    private enum Expected {
        case aside
        case prepared(PreparedStatements.Key, name: String, query: String)
        case executed(query: String)
        case synchronized

        var query: String? {
            switch self {
            case .aside, .synchronized: nil
            case .prepared(_, _, let query), .executed(let query): query
            }
        }
    }

    private let connection: OpaquePointer
    private var expected: [Expected] = []

    init(_ connection: OpaquePointer) { self.connection = connection }

    func begin() throws(PostgresError) {
        guard PQenterPipelineMode(connection) == 1 else { throw failure() }
    }

    /// Sends housekeeping whose failure is ignored, with its own synchronization point.
    mutating func sendAside(_ text: String) throws(PostgresError) {
        guard PQsendQueryParams(connection, text, 0, nil, nil, nil, nil, 0) == 1 else { throw failure() }
        expected.append(.aside)
        try synchronize()
    }

    mutating func send(_ batch: [Statement], preparing statements: inout PreparedStatements) throws(PostgresError) {
        var names: [PreparedStatements.Key: String] = [:]
        for statement in batch {
            let types = statement.parameters.map(\.type.oid)
            let key = PreparedStatements.Key(text: statement.text, types: types)
            let name: String
            switch names[key].map(PreparedStatements.Lookup.prepared) ?? statements.index(key) {
            case .prepared(let known): name = known
            case .new(let given):
                guard PQsendPrepare(connection, given, statement.text, Int32(types.count), types) == 1 else {
                    throw failure()
                }
                expected.append(.prepared(key, name: given, query: statement.text))
                name = given
            }
            names[key] = name
            try sendExecution(of: name, statement.parameters)
            expected.append(.executed(query: statement.text))
        }
        try synchronize()
    }

    private func sendExecution(of name: String, _ parameters: [PostgresParameter]) throws(PostgresError) {
        let buffer = ParameterBuffer(parameters)
        let isSent = buffer.withPointers { values, lengths, formats in
            PQsendQueryPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 0)
        }
        guard isSent == 1 else { throw failure() }
    }

    private mutating func synchronize() throws(PostgresError) {
        guard PQpipelineSync(connection) == 1 else { throw failure() }
        expected.append(.synchronized)
    }

    /// Reads every outstanding answer and leaves pipeline mode.
    ///
    /// - Throws: the first refusal, or ``PostgresError/Code/connection``, after which the connection is unusable.
    func receive(
        confirming statements: inout PreparedStatements, waiting wait: () throws(PostgresError) -> Void
    ) throws(PostgresError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        var refusal: PostgresError?
        for step in expected {
            let isSynchronization = if case .synchronized = step { true } else { false }
            try lost(refusal) { () throws(PostgresError) in try wait() }
            guard let result = ResultHandle(PQgetResult(connection)) else { throw failure() }
            switch (step, result.status) {
            case (.synchronized, PGRES_PIPELINE_SYNC), (_, PGRES_PIPELINE_ABORTED): break
            case (_, PGRES_FATAL_ERROR):
                let error = result.error(query: step.query)
                if error.code == .connection { throw lost(refusal ?? error) }
                if case .aside = step {} else { refusal = refusal ?? error }
            case (.aside, _): break
            case (.prepared(let key, let name, _), PGRES_COMMAND_OK): statements.confirm(key, name: name)
            case (.executed, PGRES_COMMAND_OK), (.executed, PGRES_TUPLES_OK), (.executed, PGRES_EMPTY_QUERY):
                results.append(result.value)
            default: throw PostgresError(.connection, "COPY or an unexpected answer", query: step.query)
            }
            if !isSynchronization { try readEnd(after: refusal, waiting: wait) }
        }
        guard PQexitPipelineMode(connection) == 1 else { throw failure() }
        if let refusal { throw refusal }
        return results
    }

    /// Each command's results end in a null, synchronization points excepted.
    private func readEnd(after refusal: PostgresError?, waiting wait: () throws(PostgresError) -> Void)
        throws(PostgresError)
    {
        try lost(refusal, wait)
        guard PQgetResult(connection) == nil else { throw PostgresError(.connection, "more than one answer") }
    }

    /// Runs a wait; when the connection breaks, marks the outcome as unknown, with the server's last message if any.
    private func lost(_ refusal: PostgresError?, _ wait: () throws(PostgresError) -> Void) throws(PostgresError) {
        do { try wait() } catch { throw lost(refusal ?? error) }
    }

    private func lost(_ error: PostgresError) -> PostgresError {
        var lost = error
        lost.code = .connection
        lost.isOutcomeUnknown = true
        return lost
    }

    private func failure() -> PostgresError {
        PostgresError(.connection, String(cString: PQerrorMessage(connection)).trimmed)
    }
}

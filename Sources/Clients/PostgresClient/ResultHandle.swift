import CPostgres

/// One `PGresult`, freed with its owner.
struct ResultHandle: ~Copyable {
    private let result: OpaquePointer

    init?(_ result: OpaquePointer?) {
        guard let result else { return nil }
        self.result = result
    }

    deinit { PQclear(result) }

    var status: ExecStatusType { PQresultStatus(result) }

    /// Copies everything out.
    var value: PostgresResult {
        let columnCount = PQnfields(result)
        let columns = PostgresColumns((0..<columnCount).map { String(cString: PQfname(result, $0)) })
        let rows = (0..<PQntuples(result)).map { row in
            PostgresRow(columns: columns, cells: (0..<columnCount).map { cell(row: row, column: $0) })
        }
        return PostgresResult(
            rows: rows, rowsAffected: Int(String(cString: PQcmdTuples(result))) ?? 0,
            commandTag: String(cString: PQcmdStatus(result)))
    }

    /// The first column of the first row; nil where that is NULL or where there is none.
    var firstCell: String? { PQntuples(result) > 0 ? cell(row: 0, column: 0) : nil }

    private func cell(row: Int32, column: Int32) -> String? {
        guard PQgetisnull(result, row, column) == 0, let bytes = PQgetvalue(result, row, column) else { return nil }
        let length = Int(PQgetlength(result, row, column))
        return bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }

    /// The server's refusal.
    func error(query: String?) -> PostgresError {
        // Codes are libpq's PG_DIAG_ characters, from postgres_ext.h; macros of characters arrive as UInt8 or not at all.
        let sqlState = field("C")
        let message = field("M") ?? String(cString: PQresultErrorMessage(result)).trimmed
        var error = PostgresError(sqlState.map { .statement(sqlState: $0) } ?? .connection, message, query: query)
        // A cached plan whose result type changed is a feature-not-supported like any other, but for the routine.
        if sqlState == "0A000", field("R") == "RevalidateCachedQuery" { error.code = .statement(sqlState: "26000") }
        error.detail = field("D")
        error.constraint = field("n")
        error.table = field("t")
        return error
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
}

extension String {
    /// Without the line break that libpq's messages end with.
    var trimmed: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

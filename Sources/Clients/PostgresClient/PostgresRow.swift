internal import DirectJSON

/// One row of an answer; its columns are read by name.
public struct PostgresRow: Sendable {
    let columns: PostgresColumns
    let cells: [String?]

    /// The column's value.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` when the column is missing or appears twice, is `NULL` and the type is
    ///   not optional, or holds something else.
    public func decode<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        try Value.decode(cell(column))
    }

    /// The value of a `json` or `jsonb` column.
    ///
    /// - Throws: ``PostgresError`` as ``decode(_:as:)`` does; its message names the coding path, not the value.
    public func decodeJSON<Value: Decodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws -> Value {
        let cell = try cell(column)
        let text = try cell.text()
        do {
            return try DirectJSONDecoder().decode(type, from: [UInt8](text.utf8))
        } catch {
            throw cell.failure("is not \(type) in JSON (\(jsonProblem(error)))")
        }
    }

    func cell(_ column: String) throws(PostgresError) -> PostgresCell {
        guard let index = columns.indexes[column] else {
            let has = columns.names.joined(separator: ", ")
            throw PostgresError(.decoding, "there is no column \(column), only \(has)")
        }
        guard index >= 0 else {
            throw PostgresError(.decoding, "there are several columns \(column); give each a name of its own")
        }
        return PostgresCell(column: column, content: cells[index])
    }
}

/// A statement's result: its rows, and the number of affected rows.
public struct PostgresResult: Sendable {
    public var rows: [PostgresRow]
    /// Rows inserted, updated, deleted or selected.
    public var rowsAffected: Int
    /// The server's command tag, such as `UPDATE 3`.
    public var commandTag: String
}

/// The columns all rows of one answer share.
final class PostgresColumns: Sendable {
    let names: [String]
    /// The index of each column name; -1 for a name that occurs more than once.
    let indexes: [String: Int]

    init(_ names: [String]) {
        self.names = names
        indexes = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { _, _ in -1 })
    }
}

/// Names the place where JSON did not fit without quoting any of it.
private func jsonProblem(_ error: any Error) -> String {
    func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    guard let error = error as? DecodingError else { return "unreadable" }
    switch error {
    case .keyNotFound(let key, let context): return "no key \(key.stringValue) at '\(path(context))'"
    case .valueNotFound(_, let context): return "no value at '\(path(context))'"
    case .typeMismatch(let type, let context): return "no \(type) at '\(path(context))'"
    case .dataCorrupted(let context): return "corrupt at '\(path(context))'"
    @unknown default: return "unreadable"
    }
}

internal import DirectJSON
public import Foundation

/// A value bound as `jsonb`: `"INSERT … VALUES (\(.json(card)))"`.
///
/// Read it back with ``PostgresRow/decodeJSON(_:as:)``; dates are seconds since 2001.
public struct PostgresJSON: PostgresBindable {
    public static var postgresType: PostgresType { .jsonb }
    public let postgresParameter: PostgresParameter

    /// Encodes now; a value that cannot be encoded makes its statement throw instead of being sent.
    public init(_ value: some Encodable) {
        do {
            let text = String(decoding: try DirectJSONEncoder().encode(value), as: UTF8.self)
            postgresParameter = PostgresParameter(.jsonb, text: text)
        } catch {
            postgresParameter = .failure(PostgresError(.encoding, "\(type(of: value)) cannot be encoded as JSON"))
        }
    }

    /// JSON that is text already; the server checks it.
    public init(text: String) { postgresParameter = PostgresParameter(.jsonb, text: text) }

    /// Same as ``init(_:)``, for interpolations.
    public static func json(_ value: some Encodable) -> PostgresJSON { PostgresJSON(value) }
}

/// Values bound as `jsonb[]`, for `unnest`; sent in binary form, so that no character of them is quoted.
public struct PostgresJSONArray: PostgresBindable {
    public static var postgresType: PostgresType { .jsonbArray }
    public let postgresParameter: PostgresParameter

    /// Encodes now; a value that cannot be encoded makes its statement throw instead of being sent.
    ///
    /// Nil becomes `NULL`.
    public init<Value: Encodable>(_ values: [Value?]) {
        do {
            postgresParameter = Self.parameter(try values.map { try $0.map { try DirectJSONEncoder().encode($0) } })
        } catch {
            postgresParameter = .failure(PostgresError(.encoding, "\(Value.self) cannot be encoded as JSON"))
        }
    }

    /// JSON that is text already, in UTF-8; the server checks it.
    public init(encoded values: [Data]) { postgresParameter = Self.parameter(values) }

    private static func parameter<Bytes: Collection<UInt8>>(_ values: [Bytes?]) -> PostgresParameter {
        let elements = values.map { $0.map { [version] + $0 } }
        return PostgresParameter(.jsonbArray, binary: BinaryArray(of: .jsonb, elements).bytes)
    }

    /// The version byte of the binary form of `jsonb`, before the text.
    ///
    /// - Source: `jsonb_recv` in PostgreSQL's `src/backend/utils/adt/jsonb.c`.
    private static let version: UInt8 = 1
}

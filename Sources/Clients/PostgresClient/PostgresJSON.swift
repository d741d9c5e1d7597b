public import Foundation

/// A value bound as `jsonb`: `"INSERT … VALUES (\(.json(card)))"`.
///
/// Read it back with ``PostgresRow/decodeJSON(_:as:decoder:)`` and a decoder of the same strategies.
public struct PostgresJSON: PostgresBindable {
    public static var postgresType: PostgresType { .jsonb }
    public let postgresParameter: PostgresParameter

    /// Encodes now; a value that cannot be encoded makes its statement throw instead of being sent.
    public init(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) {
        do {
            let text = String(decoding: try encoder.encode(value), as: UTF8.self)
            postgresParameter = PostgresParameter(.jsonb, text: text)
        } catch {
            postgresParameter = .failure(PostgresError(.encoding, "\(type(of: value)) cannot be encoded as JSON"))
        }
    }

    /// JSON that is text already; the server checks it.
    public init(text: String) { postgresParameter = PostgresParameter(.jsonb, text: text) }

    /// As ``init(_:encoder:)``, for interpolations.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) -> PostgresJSON {
        PostgresJSON(value, encoder: encoder)
    }
}

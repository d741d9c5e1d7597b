/// Values of which some are nil, bound as an array, for `unnest`: `"unnest(\(PostgresNullableArray(ends))::timestamptz[])"`.
///
/// The statement casts the array to its type.
public struct PostgresNullableArray: PostgresBindable {
    public static var postgresType: PostgresType { .inferred }
    public let postgresParameter: PostgresParameter

    /// Nil becomes `NULL`; a value that cannot be encoded makes its statement throw instead of being sent.
    public init<Value: PostgresBindable>(_ values: [Value?]) {
        let payloads = values.map(\.postgresParameter.payload)
        for case .failure(let error) in payloads {
            postgresParameter = .failure(error)
            return
        }
        let isBinary = payloads.contains { if case .binary = $0 { true } else { false } }
        postgresParameter =
            isBinary
            ? PostgresParameter(.inferred, binary: Self.binary(payloads, of: Value.postgresType))
            : PostgresParameter(.inferred, text: Self.literal(payloads))
    }

    private static func binary(_ payloads: [PostgresParameter.Payload], of type: PostgresType) -> [UInt8] {
        var array = BinaryArray(of: type, count: payloads.count, bytesPerElement: 8, hasNulls: true)
        for payload in payloads {
            if case .binary(let bytes) = payload { array.append(element: bytes) } else { array.appendNull() }
        }
        return array.bytes
    }

    private static func literal(_ payloads: [PostgresParameter.Payload]) -> String {
        var literal = ArrayLiteral()
        for payload in payloads {
            if case .text(let text) = payload { literal.append(text) } else { literal.appendNull() }
        }
        return literal.text
    }
}
